import Identity
import Reactor
import TokenStorage

/// Tasks that run once a second, and tasks of one worker for the whole process.
final class Housekeeping: LoopPart {
    let frontend: ClientFrontend
    private let review: ExchangeReview
    /// When the deny list is next pruned.
    private var nextPruning: Int64 = 0
    private static let interval: Int64 = 1000

    init(_ context: LoopContext, _ frontend: ClientFrontend, _ review: ExchangeReview) {
        self.frontend = frontend
        self.review = review
        super.init(context)
    }

    private var isFirst: Bool { context.number == 0 }

    func begin() {
        schedule()
        if shared.tokens.isFollowing { followRevocations() }
        refreshKeys()
    }

    /// Called once a second.
    func run() {
        refreshKeys()
        review.run()
        frontend.reviewUntaken()
        if isFirst {
            snapshot.tracer?.tick()
            cleanTokensDaily()
            pruneRevocations()
            if !isDraining { shared.note(context.readiness) }
        }
        shared.settings.sessions?.tick(now: poller.wallSeconds)
        if isDraining { frontend.continueShutdowns() }
        schedule()
    }

    private func schedule() {
        poller.schedule(
            TimerToken(role: LoopRole.housekeeping, owner: 0), at: poller.now + Housekeeping.interval)
    }

    /// Starts due key fetches. Done by one worker of the process, once a second and at each new configuration.
    func refreshKeys() {
        guard isFirst, !isDraining, shared.settings.fetchesAhead else { return }
        for issuer in snapshot.issuerKeys { issuer.keys.refreshIfDue() }
    }

    /// Polls the store for revocations by other processes. Every worker does, and the first one asks, so that polling
    /// continues if one is busy or has ended.
    func followRevocations() {
        shared.tokens.tick(milliseconds: poller.now, now: poller.wallSeconds)
        let token = TimerToken(role: LoopRole.revocations, owner: 0)
        poller.schedule(token, at: poller.now + RevocationFollower.interval)
    }

    /// Once a minute: removes entries whose tokens have expired.
    private func pruneRevocations() {
        guard poller.now >= nextPruning else { return }
        nextPruning = poller.now + 60_000
        shared.revocations.prune(now: poller.wallSeconds)
        shared.tokens.withdrawn.prune(now: poller.wallSeconds)
    }

    /// Starts the daily cleaning when due (AOM-23). Local time is determined each time, because its offset may change.
    private func cleanTokensDaily() {
        let now = poller.wallSeconds
        shared.settings.formerKeys?.tick(now: now)
        shared.settings.cleaner?.tick(now: now, secondsEast: LocalTime.secondsEast(at: now))
    }
}
