import Bytes
import HTTP
import Identity
import Outbound
import Synchronization
import Testing

/// Answers calls as a test says, and remembers them.
final class ScriptedCaller: OutboundCaller {
    typealias Script = @Sendable (OutboundCall, Int) -> OutboundResult

    private let script: Script
    private let seen = Mutex<[OutboundCall]>([])

    /// - Parameter script: is given each call and how many came before it.
    init(_ script: @escaping Script) { self.script = script }

    /// - Parameter results: in the order of the calls; the last one again and again.
    convenience init(_ results: OutboundResult...) {
        self.init { results[min($1, results.count - 1)] }
    }

    func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
        let number = seen.withLock { calls in
            calls.append(call)
            return calls.count - 1
        }
        then(script(call, number))
    }

    var calls: [OutboundCall] { seen.withLock { $0 } }

    /// The fields of the form that a call had, in their order.
    func form(_ index: Int = 0) throws -> [String: String] {
        let body = try #require(calls.indices.contains(index) ? calls[index].body : nil)
        let fields = try FormFields.parse(body.span).fields
        return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    func header(_ name: String, _ index: Int = 0) -> String? {
        calls[index].headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension OutboundResult {
    static func json(_ body: String, status: Int = 200, _ headers: [(name: String, value: String)] = [])
        -> OutboundResult
    {
        .response(
            OutboundResponse(
                status: status, headers: [(name: "Content-Type", value: "application/json")] + headers,
                body: Array(body.utf8)))
    }

    static func token(_ value: String, seconds: Int = 3600, _ more: String = "") -> OutboundResult {
        .json(#"{"access_token": "\#(value)", "token_type": "Bearer", "expires_in": \#(seconds)\#(more)}"#)
    }

    static func refusal(_ code: String, status: Int = 400) -> OutboundResult {
        .json(#"{"error": "\#(code)"}"#, status: status)
    }
}
