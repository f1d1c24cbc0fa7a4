import Identity
import Reactor

/// What workers do for the deny list of the process.
extension Worker {
    /// Has the store asked for what other processes have revoked. Every worker does, and the first to come asks: the list
    /// goes on also where one of them is busy or has ended.
    func followRevocations() {
        shared.tokens.tick(milliseconds: poller.now, now: poller.wallSeconds)
        let token = TimerToken(role: Role.revocations, owner: 0)
        poller.schedule(token, at: poller.now + RevocationFollower.interval)
    }

    /// Once a minute, by one of them: forgets entries whose tokens have ended.
    func pruneRevocations() {
        guard context.number == 0, poller.now >= nextPruning else { return }
        nextPruning = poller.now + 60_000
        shared.revocations.prune(now: poller.wallSeconds)
        shared.tokens.withdrawn.prune(now: poller.wallSeconds)
    }
}
