import Identity
import Synchronization

/// The issued tokens of the process and the calls in progress for more. Shared by all workers.
///
/// On a miss, the first exchange leads a call to the issuer and reports its outcome with `complete`; others join as
/// waiters and are returned when the call ends. An expired token is never returned.
package final class IssuedTokenStore: Sendable {
    /// An exchange waiting for another exchange's call, as identified by its worker.
    package struct Waiter: Sendable, Hashable {
        package let worker: Int
        package let exchange: UInt64

        package init(worker: Int, exchange: UInt64) {
            self.worker = worker
            self.exchange = exchange
        }
    }

    /// The obligation to make one issuer call and report its outcome.
    package struct Flight: Sendable {
        package let key: InjectionKey
        /// The token to replace, if any.
        package let previous: IssuedToken?
        let ticket: UInt64
    }

    package enum Lookup: Sendable {
        /// A token to use now. With `refresh`, the caller must also make that call in the background; only one caller
        /// is asked to.
        case hit(IssuedToken, refresh: Flight?)
        /// A call is in progress; the waiter is returned when it ends.
        case join
        /// Make this call, and use its outcome.
        case lead(Flight)
        /// The call failed within the last second; do not repeat it yet (CACHE-05).
        case failed(IssueFailure)
    }

    /// Outcome of a call, for its leader and its waiters.
    package struct Completion: Sendable {
        package let result: Result<IssuedToken, IssueFailure>
        package let waiters: [Waiter]
    }

    /// Totals since the start of the process, for metrics (CACHE-06).
    package struct Counters: Sendable, Equatable {
        package var hits: UInt64 = 0
        package var misses: UInt64 = 0
        /// Misses that joined a call; also counted in `misses`.
        package var joins: UInt64 = 0
        package var evictions: UInt64 = 0
        package var issued: UInt64 = 0
        package var failed: UInt64 = 0
        /// Entries removed by a purge.
        package var purged: UInt64 = 0
        /// Tokens refused by their upstreams; also counted in `purged`.
        package var refused: UInt64 = 0
        /// Current number of entries.
        package var entries = 0

        package init() {}
    }

    private struct State {
        var tokens: IssuedTokenTable
        var flights: FlightTable
        var failures: [InjectionKey: (failure: IssueFailure, term: CacheTerm)] = [:]
        /// Tokens that an upstream has refused, and the period in which it may not refuse their successors.
        var refusals: [InjectionKey: (token: IssuedToken, term: CacheTerm)] = [:]
        var counters = Counters()

        mutating func removeAll(where fits: (InjectionKey) -> Bool) -> Int {
            flights.detach(where: fits)
            return tokens.removeAll(where: fits)
        }
    }

    package let timing: TokenTiming
    /// Maximum number of tokens.
    let capacity: Int
    private let state: Mutex<State>
    private let archive: IssuedTokenArchive?
    private let purges = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - maximumEntries: at least 1.
    ///   - flightSeconds: after this time a call may be replaced by another one.
    ///   - archive: keeps tokens across restarts; nil for none.
    package init(
        maximumEntries: Int = 100_000, timing: TokenTiming = TokenTiming(), flightSeconds: Int64 = 60,
        archive: IssuedTokenArchive? = nil
    ) {
        self.timing = timing
        self.archive = archive
        capacity = maximumEntries
        state = Mutex(
            State(
                tokens: IssuedTokenTable(capacity: maximumEntries),
                flights: FlightTable(patienceSeconds: flightSeconds)))
    }

    /// Changes with every purge: a worker cache that has seen another value must be emptied. One atomic load.
    package var epoch: UInt64 { purges.load(ordering: .acquiring) }

    package var counters: Counters {
        state.withLock { state in
            var counters = state.counters
            counters.entries = state.tokens.count
            return counters
        }
    }

    /// Number of cached tokens of a subject.
    package func entries(subject: String) -> Int {
        state.withLock { $0.tokens.count(subject: Array(subject.utf8)) }
    }

    /// The token for a key, or how to get one.
    /// - Parameter now: seconds since 1970.
    package func lookup(_ key: InjectionKey, waiter: Waiter, now: Int64) -> Lookup {
        state.withLock { state in
            let known = held(key, in: &state, now: now)
            if let known, now < timing.usableUntil(known) {
                state.counters.hits += 1
                return .hit(known, refresh: refresh(key, known, in: &state, now: now))
            }
            // An expired token stays while its refresh token is usable.
            if known != nil, known?.usableRefresh(now: now) == nil { _ = state.tokens.remove(key) }
            state.counters.misses += 1
            if state.flights.join(key, waiter, now: now) {
                state.counters.joins += 1
                return .join
            }
            if let failure = recentFailure(key, in: &state, now: now) { return .failed(failure) }
            let refused = state.refusals[key].flatMap { $0.term.covers(now) ? $0.token : nil }
            return .lead(state.flights.begin(key, replacing: known ?? refused, now: now))
        }
    }

    /// A usable token for a key; does not start a call.
    /// - Parameter now: seconds since 1970.
    package func find(_ key: InjectionKey, now: Int64) -> IssuedToken? {
        state.withLock { state in
            guard let known = held(key, in: &state, now: now), now < timing.usableUntil(known) else { return nil }
            state.counters.hits += 1
            return known
        }
    }

    /// Reports the outcome of a call. A token that has expired, or does not fit into a header field, is a failure.
    /// - Returns: the result for leader and waiters. A failed refresh leaves the old token in use.
    package func complete(_ flight: Flight, _ result: Result<IssuedToken, IssueFailure>, now: Int64) -> Completion {
        let result = result.flatMap { token in
            now < token.expiresAt && token.isFitForHeaders ? .success(token) : .failure(.invalidToken)
        }
        return state.withLock { state in
            let (waiters, mayKeep) = state.flights.end(flight)
            switch result {
            case .success(let token):
                state.counters.issued += 1
                if mayKeep { keep(token, for: flight.key, in: &state, now: now) }
            case .failure(let failure):
                state.counters.failed += 1
                if mayKeep { remember(failure, for: flight.key, in: &state, now: now) }
            }
            return Completion(result: result, waiters: waiters)
        }
    }

    /// The token of a key, from the cache or an earlier process.
    private func held(_ key: InjectionKey, in state: inout State, now: Int64) -> IssuedToken? {
        if let token = state.tokens.use(key) { return token }
        guard let token = archive?.take(key) else { return nil }
        guard now < timing.usableUntil(token) || token.usableRefresh(now: now) != nil else { return nil }
        if state.tokens.insert(token, for: key) { state.counters.evictions += 1 }
        return token
    }

    private func refresh(_ key: InjectionKey, _ token: IssuedToken, in state: inout State, now: Int64) -> Flight? {
        guard now >= timing.refreshAt(token), !state.flights.isUnderWay(key, now: now),
            recentFailure(key, in: &state, now: now) == nil
        else { return nil }
        return state.flights.begin(key, replacing: token, now: now)
    }

    private func keep(_ token: IssuedToken, for key: InjectionKey, in state: inout State, now: Int64) {
        state.failures[key] = nil
        guard now < timing.usableUntil(token) || token.usableRefresh(now: now) != nil else { return }
        if state.tokens.insert(token, for: key) { state.counters.evictions += 1 }
        if key.target.issuer.outlivesProcess { archive?.keep(token, for: key, now: now) }
    }
}

extension IssuedTokenStore {
    /// Maximum number of remembered failures; beyond it, some are forgotten early.
    private static let maximumFailures = 10_000

    private func recentFailure(_ key: InjectionKey, in state: inout State, now: Int64) -> IssueFailure? {
        guard let (failure, term) = state.failures[key] else { return nil }
        if term.covers(now) { return failure }
        state.failures[key] = nil
        return nil
    }

    /// Time has a resolution of seconds, so this is remembered for at most one (CACHE-05).
    private func remember(_ failure: IssueFailure, for key: InjectionKey, in state: inout State, now: Int64) {
        if state.failures.count >= IssuedTokenStore.maximumFailures { state.failures.removeAll(keepingCapacity: true) }
        state.failures[key] = (failure, CacheTerm(from: now, seconds: 1))
        // A refusal discards a token kept for renewal; a token that is still valid stays until it expires.
        if failure == .refused, let token = state.tokens.use(key), now >= timing.usableUntil(token) {
            _ = state.tokens.remove(key)
            archive?.remove(key)
        }
    }
}

extension IssuedTokenStore {
    /// Removes all tokens of a subject, with any roles (CACHE-07).
    package func purge(subject: String) {
        let subject = Array(subject.utf8)
        purge {
            $0.flights.detach { $0.principal.subjectBytes == subject }
            archive?.remove(subject: subject)
            return $0.tokens.removeAll(subject: subject)
        }
    }

    /// Removes all tokens of a client.
    package func purge(backendID: String) {
        let client = Array(backendID.utf8)
        purge {
            archive?.remove(client: client)
            return $0.removeAll { $0.principal.backendBytes == client }
        }
    }

    /// Removes all tokens of an issuer configuration.
    package func purge(configurationID: String) {
        let configuration = Array(configurationID.utf8)
        purge {
            archive?.remove(configuration: configuration)
            return $0.removeAll { $0.target.configurationBytes == configuration }
        }
    }

    /// Removes all tokens.
    package func purgeAll() {
        purge {
            archive?.remove()
            return $0.removeAll { _ in true }
        }
    }

    /// Removes a token that its upstream refused. Does nothing if it was already replaced, so that many exchanges with
    /// the same stale token cause one new call.
    /// - Parameter now: seconds since 1970.
    /// - Returns: whether to get another token for the request. False if the upstream refused another token of the same
    ///   caller within the last second: an upstream that refuses every token must not keep the issuer busy.
    package func refuse(_ token: IssuedToken, for key: InjectionKey, now: Int64) -> Bool {
        state.withLock { state in
            guard state.tokens.use(key) === token else { return true }
            if let refusal = state.refusals[key], refusal.term.covers(now) { return false }
            if state.refusals.count >= IssuedTokenStore.maximumFailures {
                state.refusals.removeAll(keepingCapacity: true)
            }
            state.refusals[key] = (token, CacheTerm(from: now, seconds: 1))
            // Worker caches check this mark and need not drop other tokens.
            token.refuse()
            _ = state.tokens.remove(key)
            archive?.remove(key)
            state.counters.purged += 1
            state.counters.refused += 1
            return true
        }
    }

    /// Removes under the lock. The epoch also changes under it, so a worker that sees the new value finds no old
    /// entries.
    private func purge(_ body: (inout State) -> Int) {
        state.withLock { state in
            state.counters.purged += UInt64(body(&state))
            purges.add(1, ordering: .acquiringAndReleasing)
        }
    }
}
