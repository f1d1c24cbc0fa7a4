import Bytes
import Model
import Outbound
import Synchronization

/// The metadata document of an authorization server (RFC 8414, OpenID Connect Discovery), cached for an hour. Used by
/// all threads.
package final class ServerMetadata: Sendable {
    package enum Failure: Error, Sendable {
        case call(OutboundFailure)
        /// A status other than 200; the complete response.
        case status(OutboundResponse)
        /// The body is not a JSON object.
        case malformed
        /// The document names another issuer and must not be used (RFC 8414 section 3.3).
        case wrongIssuer
    }

    private typealias Answer = Result<JSONNode, Failure>

    private struct State {
        var known: (document: JSONNode, term: CacheTerm)?
        /// Waiters for the call in progress.
        var waiters: [@Sendable (Result<JSONNode, Failure>) -> Void] = []
    }

    private static let documentSeconds: Int64 = 3600
    /// Requests beyond this limit fail immediately.
    private static let maximumWaiters = 4096

    private let issuer: String
    private let call: OutboundCall
    private let caller: any OutboundCaller
    private let state = Mutex(State())

    /// - Parameters:
    ///   - url: of the document.
    ///   - issuer: required `issuer`, compared byte by byte.
    package init(at url: WebURL, issuer: String, _ transport: OutboundTransport, caller: any OutboundCaller) {
        self.issuer = issuer
        self.caller = caller
        call = transport.call("GET", url, headers: [(name: "Accept", value: "application/json")], maximumBytes: 1 << 18)
    }

    /// One call at a time, shared by all waiters, which bounds the cost of a server that is down.
    /// - Parameter now: seconds since 1970.
    package func document(now: Int64) -> Effect<Result<JSONNode, Failure>> {
        if let known = state.withLock({ $0.known }), known.term.covers(now) { return .done(.success(known.document)) }
        return .answer(of: { [self] in ask(now: now, $0) }) { .done($0) }
    }

    private func ask(now: Int64, _ then: @escaping @Sendable (Result<JSONNode, Failure>) -> Void) {
        enum Step { case answer(Answer), wait, call }
        let step = state.withLock { state -> Step in
            // Another thread's call may just have ended.
            if let known = state.known, known.term.covers(now) { return .answer(.success(known.document)) }
            guard state.waiters.count < ServerMetadata.maximumWaiters else {
                return .answer(.failure(.call(.unavailable)))
            }
            state.waiters.append(then)
            return state.waiters.count == 1 ? .call : .wait
        }
        switch step {
        case .answer(let answer): then(answer)
        case .wait: break
        case .call: caller.perform(call) { [self] in finish(read($0), now: now) }
        }
    }

    private func finish(_ answer: Answer, now: Int64) {
        let (waiters, told) = state.withLock { state -> ([@Sendable (Result<JSONNode, Failure>) -> Void], Answer) in
            if case .success(let document) = answer {
                state.known = (document, CacheTerm(from: now, seconds: ServerMetadata.documentSeconds))
            }
            let waiters = state.waiters
            state.waiters = []
            // A failed refresh does not invalidate the old document.
            return (waiters, state.known.map { .success($0.document) } ?? answer)
        }
        for waiter in waiters { waiter(told) }
    }

    private func read(_ result: OutboundResult) -> Result<JSONNode, Failure> {
        switch result {
        case .failed(let failure, _): return .failure(.call(failure))
        case .response(let response):
            guard response.status == 200 else { return .failure(.status(response)) }
            guard let node = try? JSONNode.parse(response.body.span, maximumDepth: 16), node.members != nil else {
                return .failure(.malformed)
            }
            guard let name = node["issuer"]?.string, name.isExactly(issuer) else {
                return .failure(.wrongIssuer)
            }
            return .success(node)
        }
    }
}

extension JSONNode {
    /// The endpoint's URL for clients with a certificate, if server metadata name one (RFC 8705 section 5).
    package func mutualTLSAlias(of endpoint: String) -> String? { self["mtls_endpoint_aliases"]?[endpoint]?.string }
}
