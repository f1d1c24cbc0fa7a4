import Identity
import Synchronization
import TokenStorage

/// The issued tokens of the whole process, and the calls that are under way for more. Shared by all workers.
///
/// Whoever finds no token leads a call to the issuer and reports its outcome with `complete`; whoever comes meanwhile
/// joins as a waiter and is named when the call ends. An ended token is never handed out.
package final class IssuedTokenStore: Sendable {
    /// An exchange that waits for somebody else's call, as its worker knows it.
    package struct Waiter: Sendable, Hashable {
        package let worker: Int
        package let exchange: UInt64

        package init(worker: Int, exchange: UInt64) {
            self.worker = worker
            self.exchange = exchange
        }
    }

    /// The duty to make one issuer call and to report its outcome.
    package struct Flight: Sendable {
        package let key: InjectionKey
        /// What the new token is to replace, where there is something.
        package let previous: IssuedToken?
        let ticket: UInt64
    }

    package enum Lookup: Sendable {
        /// A token to use now. With `refresh`, also make that call in the background: exactly one caller is asked to.
        case hit(IssuedToken, refresh: Flight?)
        /// Somebody makes the call already; the waiter is named when it ends.
        case join
        /// Make this call, and use its outcome.
        case lead(Flight)
        /// The call failed within the last second; do not repeat it yet (CACHE-05).
        case failed(IssueFailure)
    }

    /// What a call came to, for its leader and for those who waited.
    package struct Completion: Sendable {
        package let result: Result<IssuedToken, IssueFailure>
        package let waiters: [Waiter]
    }

    /// Sums since the start of the process, for metrics (CACHE-06).
    package struct Counters: Sendable, Equatable {
        package var hits: UInt64 = 0
        package var misses: UInt64 = 0
        /// Misses that found a call under way; also counted in `misses`.
        package var joins: UInt64 = 0
        package var evictions: UInt64 = 0
        package var issued: UInt64 = 0
        package var failed: UInt64 = 0
        /// Entries removed by a purge.
        package var purged: UInt64 = 0
        /// Tokens that their upstreams refused; also counted in `purged`.
        package var refused: UInt64 = 0
        /// Entries at present.
        package var entries = 0
    }

    private struct State {
        var tokens: TokenTable
        var flights: FlightTable
        var failures: [InjectionKey: (failure: IssueFailure, term: CacheTerm)] = [:]
        /// For how long another refusal of an upstream changes nothing.
        var refusals: [InjectionKey: CacheTerm] = [:]
        var counters = Counters()

        mutating func removeAll(where fits: (InjectionKey) -> Bool) -> Int {
            flights.detach(where: fits)
            return tokens.removeAll(where: fits)
        }
    }

    package let timing: TokenTiming
    /// How many tokens are held at the most.
    let capacity: Int
    private let state: Mutex<State>
    private let archive: IssuedTokenArchive?
    private let purges = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - maximumEntries: at least 1.
    ///   - flightSeconds: how long a call may take before another one is made in its place.
    ///   - archive: where tokens survive a restart; nil for nowhere.
    package init(
        maximumEntries: Int = 100_000, timing: TokenTiming = TokenTiming(), flightSeconds: Int64 = 60,
        archive: IssuedTokenArchive? = nil
    ) {
        self.timing = timing
        self.archive = archive
        capacity = maximumEntries
        state = Mutex(
            State(
                tokens: TokenTable(capacity: maximumEntries),
                flights: FlightTable(patienceSeconds: flightSeconds)))
    }

    /// Changes with every purge: a worker's cache that knows another value must be emptied. One atomic load.
    package var epoch: UInt64 { purges.load(ordering: .acquiring) }

    package var counters: Counters {
        state.withLock { state in
            var counters = state.counters
            counters.entries = state.tokens.count
            return counters
        }
    }

    /// How many tokens of a subject are held.
    package func entries(subject: String) -> Int {
        state.withLock { $0.tokens.count(subject: Array(subject.utf8)) }
    }

    /// The token for a key, or what to do to get one.
    /// - Parameter now: seconds since 1970.
    package func lookup(_ key: InjectionKey, waiter: Waiter, now: Int64) -> Lookup {
        state.withLock { state in
            let known = held(key, in: &state, now: now)
            if let known, now < timing.usableUntil(known) {
                state.counters.hits += 1
                return .hit(known, refresh: refresh(key, known, in: &state, now: now))
            }
            // One that has ended stays while its refresh token is good for another.
            if known != nil, known?.usableRefresh(now: now) == nil { _ = state.tokens.remove(key) }
            state.counters.misses += 1
            if state.flights.join(key, waiter, now: now) {
                state.counters.joins += 1
                return .join
            }
            if let failure = recentFailure(key, in: &state, now: now) { return .failed(failure) }
            return .lead(state.flights.begin(key, replacing: known, now: now))
        }
    }

    /// The token for a key, where there is one to use; nothing is begun to get another.
    /// - Parameter now: seconds since 1970.
    package func find(_ key: InjectionKey, now: Int64) -> IssuedToken? {
        state.withLock { state in
            guard let known = held(key, in: &state, now: now), now < timing.usableUntil(known) else { return nil }
            state.counters.hits += 1
            return known
        }
    }

    /// Reports what a call came to. A token that has ended, or that does not fit into a header field, is a failure.
    /// - Returns: the result as leader and waiters are to take it. A failed refresh leaves the old token in use.
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

    /// The token of a key, or the one that an earlier process has left.
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
        archive?.keep(token, for: key, now: now)
    }
}

extension IssuedTokenStore {
    /// How many failures are remembered at a time; with more of them, some are forgotten early.
    private static let maximumFailures = 10_000

    private func recentFailure(_ key: InjectionKey, in state: inout State, now: Int64) -> IssueFailure? {
        guard let (failure, term) = state.failures[key] else { return nil }
        if term.covers(now) { return failure }
        state.failures[key] = nil
        return nil
    }

    /// Time is in whole seconds, so this is remembered for at most one (CACHE-05).
    private func remember(_ failure: IssueFailure, for key: InjectionKey, in state: inout State, now: Int64) {
        if state.failures.count >= IssuedTokenStore.maximumFailures { state.failures.removeAll(keepingCapacity: true) }
        state.failures[key] = (failure, CacheTerm(from: now, seconds: 1))
        // Whoever is refused has lost what could have been renewed; what is still good goes on to its end.
        if failure == .refused, let token = state.tokens.use(key), now >= timing.usableUntil(token) {
            _ = state.tokens.remove(key)
            archive?.remove(key)
        }
    }
}

extension IssuedTokenStore {
    /// Forgets all tokens of a subject, in whatever role it called (CACHE-07).
    package func purge(subject: String) {
        let subject = Array(subject.utf8)
        purge {
            $0.flights.detach { $0.principal.subjectBytes == subject }
            archive?.remove(subject: subject)
            return $0.tokens.removeAll(subject: subject)
        }
    }

    /// Forgets all tokens that belong to a backend.
    package func purge(backendID: String) {
        let backend = Array(backendID.utf8)
        purge {
            archive?.remove(backend: backend)
            return $0.removeAll { $0.principal.backendBytes == backend }
        }
    }

    /// Forgets all tokens of an issuer configuration.
    package func purge(configurationID: String) {
        let configuration = Array(configurationID.utf8)
        purge {
            archive?.remove(configuration: configuration)
            return $0.removeAll { $0.target.configurationBytes == configuration }
        }
    }

    /// Forgets every token.
    package func purgeAll() {
        purge {
            archive?.remove()
            return $0.removeAll { _ in true }
        }
    }

    /// Forgets one token that its upstream refused. Where it has been replaced meanwhile nothing happens, so that many
    /// exchanges which hold the same stale token cause one new call.
    /// - Parameter now: seconds since 1970.
    /// - Returns: whether another token may be had for the request. No: its upstream has refused one of the same caller
    ///   within the last second, and this is what came of that. An upstream that refuses them all does not keep the
    ///   issuer busy.
    package func refuse(_ token: IssuedToken, for key: InjectionKey, now: Int64) -> Bool {
        state.withLock { state in
            guard state.tokens.use(key) === token else { return true }
            if let term = state.refusals[key], term.covers(now) { return false }
            if state.refusals.count >= IssuedTokenStore.maximumFailures {
                state.refusals.removeAll(keepingCapacity: true)
            }
            state.refusals[key] = CacheTerm(from: now, seconds: 1)
            // Workers look at this, and need not forget the tokens of everybody else.
            token.refuse()
            _ = state.tokens.remove(key)
            archive?.remove(key)
            state.counters.purged += 1
            state.counters.refused += 1
            return true
        }
    }

    /// Removes under the lock. The epoch changes under it too: a worker that has seen the new value finds nothing old.
    private func purge(_ body: (inout State) -> Int) {
        state.withLock { state in
            state.counters.purged += UInt64(body(&state))
            purges.add(1, ordering: .acquiringAndReleasing)
        }
    }
}
