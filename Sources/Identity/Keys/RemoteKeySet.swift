import Crypto
import JOSE
import Model
import Outbound
import Synchronization

/// The published keys of an issuer. Fetches them before they expire, or immediately for an unknown key, but never more
/// often than allowed, and one fetch at a time. One instance per settings, used by all threads.
package final class RemoteKeySet: KeySource {
    /// An event for the log.
    package enum Event: Sendable {
        case fetched(KeySet, KeyChange)
        /// - Parameter hasKeys: whether usable keys remain.
        case failed(KeyFetchFailure, hasKeys: Bool)
    }

    private struct Waiter {
        let need: KeyNeed
        let then: @Sendable (KeyAvailability) -> Void
    }

    private struct State {
        var cache: KeyCache
        var waiters: [Waiter] = []
        var refreshing: [@Sendable (Refreshed) -> Void] = []
        var succeeded: UInt64 = 0
        /// By failure code.
        var failed: [String: UInt64] = [:]
    }

    /// Requests beyond this limit fail immediately.
    private static let maximumWaiters = 4096

    package let settings: RemoteKeySettings
    private let tls: TLSClientContext?
    private let caller: any OutboundCaller
    private let epoch: KeyEpoch
    private let clock: @Sendable () -> Int64
    private let observe: @Sendable (Event) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - clock: seconds since 1970.
    ///   - observe: called with the result of each fetch.
    package init(
        _ settings: RemoteKeySettings, caller: any OutboundCaller, epoch: KeyEpoch = KeyEpoch(),
        clock: @escaping @Sendable () -> Int64, observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(TLSSettingsError) {
        self.settings = settings
        tls = try settings.clientContext()
        self.caller = caller
        self.epoch = epoch
        self.clock = clock
        self.observe = observe
        state = Mutex(State(cache: KeyCache(settings)))
    }

    package func keys(for need: KeyNeed, now: Int64) -> KeyAvailability {
        state.withLock { $0.cache.answer(need, now: now) }
    }

    package func keysAtHand(for need: KeyNeed, now: Int64) -> KeyAvailability {
        state.withLock { $0.cache.settled(need, now: now) }
    }

    package func fetch(for need: KeyNeed, then: @escaping @Sendable (KeyAvailability) -> Void) {
        let now = clock()
        enum Verdict { case answer(KeyAvailability), wait, begin }
        let verdict = state.withLock { state -> Verdict in
            // Checked again under the lock: another thread's fetch may just have ended.
            let answer = state.cache.answer(need, now: now)
            guard case .fetch = answer else { return .answer(answer) }
            guard state.waiters.count < RemoteKeySet.maximumWaiters else {
                return .answer(state.cache.settled(need, now: now))
            }
            state.waiters.append(Waiter(need: need, then: then))
            if state.cache.isFetching { return .wait }
            state.cache.began()
            return .begin
        }
        switch verdict {
        case .answer(let answer): then(answer)
        case .wait: break
        case .begin: begin()
        }
    }

    /// The outcome of a fetch that was asked for.
    package typealias Refreshed = Result<(keys: Int, isNews: Bool), KeyFetchFailure>

    /// Fetches the keys now, also within the least time between two fetches; joins a fetch in progress.
    package func refresh(then: @escaping @Sendable (Refreshed) -> Void) {
        let begins = state.withLock { state in
            state.refreshing.append(then)
            if state.cache.isFetching { return false }
            state.cache.began()
            return true
        }
        if begins { begin() }
    }

    /// Starts a proactive fetch if one is due. Call it about once a second.
    package func refreshIfDue() {
        let now = clock()
        let isDue = state.withLock { state in
            guard state.cache.isRefreshDue(now: now) else { return false }
            state.cache.began()
            return true
        }
        if isDue { begin() }
    }

    // MARK: The fetch

    private func begin() {
        let fetch = KeyFetch(settings, tls: tls)
        go(on: fetch, fetch.begin())
    }

    private func go(on fetch: KeyFetch, _ step: KeyFetch.Step) {
        switch step {
        case .call(let call):
            caller.perform(call) { [self] result in
                var fetch = fetch
                let next = fetch.received(result)
                go(on: fetch, next)
            }
        case .done(let keys, let lifetime): finish(.success((keys, lifetime)))
        case .failed(let failure): finish(.failure(failure))
        }
    }

    private func finish(_ result: Result<(keys: KeySet, lifetime: Int64?), KeyFetchFailure>) {
        let now = clock()
        let (answers, refreshing, event) = state.withLock { state in
            let event: Event
            switch result {
            case .success(let (keys, lifetime)):
                let spread = Int64(SecureRandom.uint64() % 100)
                let change = state.cache.succeeded(keys, lifetime: lifetime, now: now, spread: spread)
                state.succeeded += 1
                event = .fetched(keys, change)
            case .failure(let failure):
                state.cache.failed(failure, now: now)
                state.failed[failure.code, default: 0] += 1
                event = .failed(failure, hasKeys: state.cache.usableKeys(now) != nil)
            }
            let waiters = state.waiters
            state.waiters = []
            let refreshing = state.refreshing
            state.refreshing = []
            for waiter in waiters { state.cache.missed(waiter.need, now: now) }
            return (waiters.map { ($0, state.cache.settled($0.need, now: now)) }, refreshing, event)
        }
        // After the change: a reader of the new epoch sees the new keys.
        if case .fetched(_, let change) = event, change.losesKeys { epoch.advance() }
        observe(event)
        for (waiter, answer) in answers { waiter.then(answer) }
        let refreshed: Refreshed =
            switch event {
            case .fetched(let keys, let change): .success((keys.keys.count, change.isNews))
            case .failed(let failure, _): .failure(failure)
            }
        for then in refreshing { then(refreshed) }
    }

    // MARK: Report

    /// State for metrics and readiness.
    package struct Report: Sendable {
        /// Number of usable keys.
        package var keyCount: Int
        /// Seconds since they were fetched; nil without keys.
        package var ageSeconds: Int64?
        /// Whether they outlived the issuer's lifetime.
        package var isStale: Bool
        /// Failure of the last attempt, if it failed.
        package var failure: KeyFetchFailure?
        package var succeeded: UInt64
        package var failed: [String: UInt64]
    }

    package var report: Report {
        let now = clock()
        return state.withLock { state in
            let keys = state.cache.usableKeys(now)
            return Report(
                keyCount: keys?.keys.count ?? 0, ageSeconds: keys == nil ? nil : state.cache.fetchedAt.map { now - $0 },
                isStale: state.cache.isStale(now: now), failure: state.cache.failure, succeeded: state.succeeded,
                failed: state.failed)
        }
    }
}
