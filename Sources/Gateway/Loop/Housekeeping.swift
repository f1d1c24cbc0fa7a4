import Bytes
import Crypto
import Identity
import Reactor
import TokenStorage

/// What is done once a second, and what one worker does for the whole process.
final class Housekeeping: LoopPart {
    let frontend: ClientFrontend
    private let review: ExchangeReview
    /// When the deny list is rid of old entries next.
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

    /// The second is over.
    func run() {
        refreshKeys()
        review.run()
        frontend.reviewUntaken()
        if isFirst {
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
            TimerToken(role: Worker.Role.housekeeping, owner: 0), at: poller.now + Housekeeping.interval)
    }

    /// Has keys fetched that are due. One worker of the process does, once a second and at each new configuration.
    func refreshKeys() {
        guard isFirst, !isDraining else { return }
        for issuer in snapshot.issuerKeys { issuer.keys.refreshIfDue() }
    }

    /// Has the store asked for what other processes have revoked. Every worker does, and the first to come asks: the list
    /// goes on also where one of them is busy or has ended.
    func followRevocations() {
        shared.tokens.tick(milliseconds: poller.now, now: poller.wallSeconds)
        let token = TimerToken(role: Worker.Role.revocations, owner: 0)
        poller.schedule(token, at: poller.now + RevocationFollower.interval)
    }

    /// Once a minute: forgets entries whose tokens have ended.
    private func pruneRevocations() {
        guard poller.now >= nextPruning else { return }
        nextPruning = poller.now + 60_000
        shared.revocations.prune(now: poller.wallSeconds)
        shared.tokens.withdrawn.prune(now: poller.wallSeconds)
    }

    /// Sees whether it is time for the daily deletion (AOM-23). Local time is asked for each time: its zone may change.
    private func cleanTokensDaily() {
        let now = poller.wallSeconds
        shared.settings.cleaner?.tick(now: now, secondsEast: LocalTime.secondsEast(at: now))
    }
}
