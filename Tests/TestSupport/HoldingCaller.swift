import Outbound
import Synchronization

/// A server that gives one answer to all calls, and holds calls while it has no answer.
package final class HoldingCaller: OutboundCaller {
    private struct State {
        var calls: [OutboundCall] = []
        var held: [@Sendable (OutboundResult) -> Void] = []
        var result: OutboundResult?
    }

    private let state = Mutex(State())

    /// - Parameter result: nil to hold calls until `release`.
    package init(_ result: OutboundResult?) { state.withLock { $0.result = result } }

    package var calls: [OutboundCall] { state.withLock { $0.calls } }

    package func answer(_ result: OutboundResult?) { state.withLock { $0.result = result } }

    package func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        let result = state.withLock { state in
            state.calls.append(call)
            if state.result == nil { state.held.append(then) }
            return state.result
        }
        if let result { then(result) }
    }

    /// Answers the calls that were held.
    package func release(_ result: OutboundResult) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for then in held { then(result) }
    }
}
