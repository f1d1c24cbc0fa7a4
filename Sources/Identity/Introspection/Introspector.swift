import Crypto
import Outbound
import Synchronization

/// Introspects tokens, with one call for all concurrent requests about the same token, and caches the verdicts: an
/// active token until it expires or `cacheSeconds` are over, an inactive one for `negativeCacheSeconds`. Failures are
/// not cached.
package final class Introspector: Sendable {
    package typealias Answer = Result<IntrospectionVerdict, IntrospectionFailure>

    struct Known {
        let verdict: IntrospectionVerdict
        let term: CacheTerm
    }

    struct State {
        var answers = AnswerTable<Known, @Sendable (Answer) -> Void>(capacity: Introspector.capacity)
        var counters = Report()
    }

    /// Maximum number of cached verdicts.
    package static let capacity = 8192
    /// Maximum number of concurrent calls, so that a flood of invented tokens does not flood the server.
    package static let maximumCalls = 128

    package let server: IntrospectionServer
    private let caller: any OutboundCaller
    let state = Mutex(State())
    /// Key of the digests under which tokens are cached; the digests are useless elsewhere.
    private let key = SecureRandom.bytes(32)

    package init(server: IntrospectionServer, caller: any OutboundCaller) {
        self.server = server
        self.caller = caller
    }

    /// The verdict on a token.
    /// - Parameter now: seconds since 1970.
    package func verdict(on token: [UInt8], now: Int64) -> Effect<Answer> {
        let key = key
        let digest = DigestAlgorithm.sha256.hmac(key: key.span, token.span)
        let known = state.withLock { state -> IntrospectionVerdict? in
            guard let known = state.answers[digest], known.term.covers(now) else {
                state.counters.misses += 1
                return nil
            }
            state.counters.hits += 1
            return known.verdict
        }
        if let known { return .done(.success(known)) }
        guard server.client.isSlow else {
            return .await { [self] resume in
                join(digest, server.call(about: token, now: now), now: now) { resume(.done($0)) }
            }
        }
        // Signed before the call counts as begun: an exchange that ends meanwhile leaves no waiters behind.
        return .await { [self] resume in
            if state.withLock({ $0.answers.follow(digest) { resume(.done($0)) } }) { return }
            if isFull() { return resume(.done(.failure(IntrospectionFailure()))) }
            resume(
                .offload { [self] in
                    let call = server.call(about: token, now: now)
                    return .await { [self] resume in join(digest, call, now: now) { resume(.done($0)) } }
                })
        }
    }

    /// The last verdict on a token, for operators: it may be too old to be used. Makes no call.
    package func lastVerdict(on token: [UInt8]) -> IntrospectionVerdict? {
        let key = key
        let digest = DigestAlgorithm.sha256.hmac(key: key.span, token.span)
        return state.withLock { $0.answers[digest]?.verdict }
    }

    /// Whether no further call is possible. Asked before a signature, which may never be made: an address or the pool may
    /// have too much work.
    private func isFull() -> Bool {
        state.withLock { state in
            guard state.answers.callsUnderWay >= Introspector.maximumCalls else { return false }
            state.counters.failed["overload", default: 0] += 1
            return true
        }
    }

    /// The first waiter makes the call for all.
    private func join(
        _ digest: [UInt8], _ call: @autoclosure () -> OutboundCall, now: Int64,
        _ waiter: @escaping @Sendable (Answer) -> Void
    ) {
        enum Part { case leader, follower, refused }
        let part = state.withLock { state -> Part in
            if state.answers.follow(digest, waiter) { return .follower }
            guard state.answers.callsUnderWay < Introspector.maximumCalls else {
                state.counters.failed["overload", default: 0] += 1
                return .refused
            }
            state.answers.lead(digest, waiter)
            return .leader
        }
        switch part {
        case .follower: return
        case .refused: waiter(.failure(IntrospectionFailure()))
        case .leader:
            caller.perform(call()) { [self] result in
                finish(digest, answer(result, now: now), now: now)
            }
        }
    }

    private func answer(_ result: OutboundResult, now: Int64) -> Answer {
        switch result {
        case .failed(let failure, _):
            count(failure: failure.rawValue)
            return .failure(IntrospectionFailure())
        case .response(let response):
            do throws(IntrospectionFailure) {
                let verdict = try IntrospectionVerdict(response, of: server, now: now)
                count(verdict)
                return .success(verdict)
            } catch {
                count(failure: response.status == 200 ? "unusable" : "status")
                return .failure(error)
            }
        }
    }

    /// - Parameter now: when the call began, so that the cache period is not extended by its duration.
    private func finish(_ digest: [UInt8], _ answer: Answer, now: Int64) {
        let waiters = state.withLock { state in
            if case .success(let verdict) = answer { remember(digest, verdict, now: now, &state) }
            return state.answers.settle(digest)
        }
        for waiter in waiters { waiter(answer) }
    }

    private func remember(_ digest: [UInt8], _ verdict: IntrospectionVerdict, now: Int64, _ state: inout State) {
        let until =
            switch verdict {
            case .active(let token): token.knownUntil
            case .inactive, .proofRequired: now + server.negativeCacheSeconds
            }
        state.answers.keep(digest, Known(verdict: verdict, term: CacheTerm(from: now, until: until)))
    }
}
