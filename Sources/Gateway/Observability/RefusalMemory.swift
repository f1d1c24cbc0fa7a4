import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor
import Synchronization

/// A request that was refused, or that failed, as `portcullis why` shows it.
package struct Refusal: Sendable {
    /// Seconds since 1970.
    package let time: Int64
    package let requestID: String
    package let method: String
    package let path: String
    package let client: String
    package let route: String
    package let subject: String
    package let issuer: String
    package let status: Int
    package let reason: Reason
    /// The step of the decision, as `explain` calls it.
    package let step: String
    package let evidence: String

    /// Bytes of a path that are kept.
    fileprivate static let longestPath = 512
    /// About the size without the texts.
    private static let fixedBytes = 256

    var bytes: Int {
        [requestID, path, client, route, subject, issuer, evidence].reduce(Refusal.fixedBytes) { $0 + $1.utf8.count }
    }
}

// Beside the type, so that it keeps its memberwise initialiser.
extension Refusal {
    init(_ exchange: Exchange, now: Int64) {
        let (path, response) = (exchange.path, exchange.response)
        time = now
        requestID = exchange.requestIDText
        method = exchange.head.method.name.map { "\($0)" } ?? "extension"
        self.path = String(copying: path.readable.extracting(first: Refusal.longestPath))
        client = exchange.address?.description ?? ""
        route = exchange.route?.name ?? ""
        subject = exchange.principal?.subject ?? ""
        issuer = exchange.principal?.issuer ?? ""
        status = response.status
        reason = response.reason
        step = response.step?.label(hasRoute: exchange.route != nil) ?? "request"
        evidence = response.evidence.text
    }
}

/// The last refusals of this process, bounded by count and by bytes. Requests that are served never come here.
package final class RefusalMemory: Sendable {
    package static let mostRefusals = 4096
    package static let mostBytes = 2 << 20
    /// Refusals of one id that are shown: clients may send ids of their own.
    private static let mostFound = 10

    private struct State {
        /// Those from `first` on are remembered, the oldest first.
        var refusals: [Refusal] = []
        var first = 0
        var bytes = 0
    }

    private let state = Mutex(State())

    init() {}

    func remember(_ refusal: Refusal) {
        state.withLock { state in
            state.refusals.append(refusal)
            state.bytes += refusal.bytes
            while state.refusals.count - state.first > RefusalMemory.mostRefusals
                || state.bytes > RefusalMemory.mostBytes
            {
                state.bytes -= state.refusals[state.first].bytes
                state.first += 1
            }
            // Moved rarely: on average once for each refusal.
            if state.first > RefusalMemory.mostRefusals {
                state.refusals.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// The refusals of an id, the latest first.
    package func refusals(of requestID: String) -> [Refusal] {
        state.withLock { state in
            Array(
                state.refusals[state.first...].reversed().lazy
                    .filter { $0.requestID.isExactly(requestID) }.prefix(RefusalMemory.mostFound))
        }
    }

    /// The number of remembered refusals, and their bytes.
    var size: (count: Int, bytes: Int) { state.withLock { ($0.refusals.count - $0.first, $0.bytes) } }
}
