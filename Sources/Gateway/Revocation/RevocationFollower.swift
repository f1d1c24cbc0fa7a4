import Bytes
import Identity
import Issuers
import Model
import Synchronization
import TokenStorage

/// The store as used by this process. Its own revocations take effect here before they are answered; those of other
/// processes that share the store are polled every 250 ms. If the store is silent for too long, the configured policy
/// decides on bearer requests.
package final class RevocationFollower: TokenStore {
    package struct Settings: Sendable {
        package var whenUnavailable = StoreOutageRule.deny
        /// Milliseconds without an answer after which the list is stale.
        package var staleAfter: Int64 = 3000
        /// Milliseconds until a comparison, different at each process: a server that returns should not get the questions
        /// of all of them at once.
        package var comparisonDelay = Int64.random(in: 0..<1000)
        package init() {}
    }

    /// State for `/metrics` and `/readyz`.
    struct Report {
        var kind: StaticString
        /// Whether the list is up to date.
        var isCurrent: Bool
        /// Whether bearer requests are refused because the list is stale.
        var refuses: Bool
        /// Milliseconds since the last answered query.
        var age: Int64
        var succeeded: UInt64
        var failed: UInt64
        /// Why the store accepts no durable writes; nil while it does.
        var writeFailure: StoreFailure? = nil
        /// Number of pending revocations.
        var unwritten = 0
        /// Number of entries that were skipped because they could not be read.
        var skipped: UInt64 = 0

        /// Whether the store answers and accepts writes.
        var isUp: Bool { isCurrent && writeFailure == nil }
    }

    /// Polling interval in milliseconds.
    static let interval: Int64 = 250
    /// Entries per query.
    static let pageSize = 1000

    let store: any TokenStore
    let list: RevocationList
    /// Accounts and secrets that other processes have disabled or changed.
    let withdrawn: WithdrawnAccounts
    let settings: Settings
    let log: EventLog
    let following: Mutex<RevocationProgress>
    let unwritten = Mutex(Unwritten())
    private let issued = Mutex<IssuedTokenStore?>(nil)
    private let isForsaken = Atomic<Bool>(false)

    /// - Parameters:
    ///   - isShared: whether other processes use the store, or have used it before.
    ///   - now: milliseconds of the monotonic clock.
    package init(
        _ store: any TokenStore, list: RevocationList, withdrawn: WithdrawnAccounts = WithdrawnAccounts(),
        isShared: Bool, settings: Settings = Settings(), log: EventLog, now: Int64
    ) {
        self.store = store
        self.list = list
        self.withdrawn = withdrawn
        self.settings = settings
        self.log = log
        following = Mutex(
            RevocationProgress(isShared: isShared, now: now, comparisonDelay: settings.comparisonDelay))
        if isShared, settings.whenUnavailable == .deny { list.setBlind(true) }
    }

    /// Sets the cache of issued tokens, from which those of revoked callers are removed (CACHE-07).
    func purge(_ tokens: IssuedTokenStore) { issued.withLock { $0 = tokens } }

    /// Another process has taken over and does not share this store: further revocations apply here and are not
    /// acknowledged.
    package func forsake(_ forsaken: Bool = true) { isForsaken.store(forsaken, ordering: .releasing) }

    // MARK: The store

    package var kind: StaticString { store.kind }
    package var state: StoreState { store.state }

    package func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        // Takes effect here even if the store is unavailable; the write is retried.
        if case .deny(let entry) = operation { apply(entry, now: now) }
        if isForsaken.load(ordering: .acquiring) {
            switch operation {
            case .deny, .revoke: return then(.failure(.unavailable))
            default: break
            }
        }
        store.perform(operation, now: now) { [self] result in
            count(result)
            let answer: StoreAnswer
            switch result {
            case .success(let given): answer = given
            case .failure(let failure):
                failed(operation, failure)
                return then(result)
            }
            switch (operation, answer) {
            case (.rotate(_, _, let proposed, _), .rotated(let old)):
                deny([old], unless: proposed.tokenID, now: now)
                then(result)
            case (_, .removed(let gone)):
                deny(gone, now: now)
                then(result)
            // Records removed by these are visible in the deny list only.
            case (_, .reused), (.replace, .record): follow(now: now) { _ in then(result) }
            default: then(result)
            }
        }
    }

    /// Revokes the tokens of removed records, as the store did in the same step.
    func deny(_ gone: [TokenRecord], unless heir: String = "", now: Int64) {
        for record in gone where record.accessLives(at: now) && !record.tokenID.isEmpty {
            if record.tokenID.isExactly(heir) { continue }
            apply(.token(record.tokenID, subject: record.subject, until: record.accessExpiresAt), now: now)
        }
    }

    /// - Parameter isKnown: whether issued tokens were removed when the entry was new.
    /// - Returns: whether it is news about an account.
    @discardableResult
    func apply(_ entry: DenyEntry, isKnown: Bool = false, now: Int64) -> Bool {
        guard entry.until > now else { return false }
        if !entry.kind.isAboutTokens {
            guard entry.isKnown || !entry.subject.isEmpty, withdrawn.apply(entry) else { return false }
            purge(entry)
            return true
        }
        let isNew = list.apply(entry)
        if isNew || !isKnown { purge(entry) }
        return false
    }

    private func purge(_ entry: DenyEntry) {
        guard let issued = issued.withLock({ $0 }) else { return }
        switch entry.kind {
        case .withdrawn, .restored: purge(notice: entry, issued)
        case .token where entry.subject.isEmpty, .issuer, .unknown: break
        case .token: issued.purge(subject: entry.subject)
        case .subject: issued.purge(subject: entry.name)
        case .client: issued.purge(backendID: entry.name)
        }
    }

    /// Removes tokens that name rights which their caller no longer has.
    private func purge(notice entry: DenyEntry, _ issued: IssuedTokenStore) {
        switch WithdrawnAccounts.Kind(noticeName: entry.name) {
        case .role, .consumer, .consumerRole, .apiKey: issued.purge(subject: entry.holder)
        case .setting, .client: issued.purge(backendID: entry.holder)
        // A revocation of tokens follows.
        case .user, .password, .clientSecret: break
        case .certificate, nil: break
        }
    }

    func count(_ result: Result<StoreAnswer, StoreFailure>) {
        following.withLock { state in
            switch result {
            case .success: state.succeeded += 1
            case .failure(let failure):
                state.failed += 1
                state.lastFailure = failure
            }
        }
    }

    /// Whether entries fill a page, so that there may be more; nil if the place to continue at is unknown.
    func fillPage(_ changes: [DenyChange], behind place: Int64) -> Bool? {
        guard changes.count == RevocationFollower.pageSize, let last = changes.last else { return false }
        if last.sequence > place { return true }
        count(.failure(.malformed))
        return nil
    }
}
