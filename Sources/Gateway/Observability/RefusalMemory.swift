import Bytes
import HTTP
import Identity
import Model
import Policy
import Synchronization

/// A request that was refused, or that failed, as `portcullis why` shows it. It keeps the values; texts are made by those who
/// ask for them.
package struct Refusal: Sendable {
    /// Seconds since 1970.
    package let time: Int64
    let id: [UInt8]
    let method: Method
    let target: [UInt8]
    let address: IPAddress?
    /// Nil where no route matched.
    let routeName: String?
    package let subject: String
    package let issuer: String
    package let status: Int
    package let reason: Reason
    /// Nil where no step of the decision refused the request.
    let decisionStep: Decision.Step?
    let compared: Evidence?

    /// Bytes of a path that are kept.
    fileprivate static let longestPath = 512
    /// About the size without the texts.
    private static let fixedBytes = 256

    var bytes: Int {
        Refusal.fixedBytes + id.count + target.count + (routeName?.utf8.count ?? 0) + subject.utf8.count
            + issuer.utf8.count + (compared?.bytes ?? 0)
    }

    package var requestID: String { String(decoding: id, as: UTF8.self) }
    package var methodName: String { method.name.map { "\($0)" } ?? "extension" }
    package var path: String { String(decoding: target, as: UTF8.self) }
    package var client: String { address?.description ?? "" }
    package var route: String { routeName ?? "" }
    /// The step of the decision, as `explain` calls it.
    package var step: String { decisionStep?.label(hasRoute: routeName != nil) ?? "request" }
    package var evidence: String { compared?.text ?? "" }
}

// Beside the type, so that it keeps its memberwise initialiser.
extension Refusal {
    init(_ exchange: Exchange, now: Int64) {
        let (id, path, response) = (exchange.requestID, exchange.path, exchange.response)
        time = now
        self.id = [UInt8](copying: id.readable)
        method = exchange.head.method
        target = [UInt8](copying: path.readable.extracting(first: Refusal.longestPath))
        address = exchange.address
        routeName = exchange.route?.name
        subject = exchange.principal?.subject ?? ""
        issuer = exchange.principal?.issuer ?? ""
        status = response.status
        reason = response.reason
        decisionStep = response.step
        // Values that are larger than their text are kept as text.
        compared = response.evidence.map { $0.bytes > Evidence.longestText ? Evidence([$0.text]) : $0 }
    }
}

/// The last refusals of this process, bounded by count and by bytes. Requests that are served never come here.
package final class RefusalMemory: Sendable {
    package static let mostRefusals = 4096
    package static let mostBytes = 2 << 20
    /// Refusals of one id that are shown: clients may send ids of their own.
    private static let mostFound = 10

    private struct State {
        /// A ring, from the place of the oldest.
        var ring: [Refusal?] = []
        var oldest = 0
        var count = 0
        var bytes = 0

        mutating func forgetOldest() {
            bytes -= ring[oldest]?.bytes ?? 0
            ring[oldest] = nil
            oldest = (oldest + 1) % RefusalMemory.mostRefusals
            count -= 1
        }
    }

    private let state = Mutex(State())

    init() {}

    func remember(_ refusal: Refusal) {
        let bytes = refusal.bytes
        state.withLock { state in
            while state.count == RefusalMemory.mostRefusals
                || state.count > 0 && state.bytes + bytes > RefusalMemory.mostBytes
            {
                state.forgetOldest()
            }
            let place = (state.oldest + state.count) % RefusalMemory.mostRefusals
            if place == state.ring.count {
                state.ring.append(refusal)
            } else {
                state.ring[place] = refusal
            }
            state.count += 1
            state.bytes += bytes
        }
    }

    /// The refusals of an id, the latest first.
    package func refusals(of requestID: String) -> [Refusal] {
        state.withLock { state in
            var found: [Refusal] = []
            for place in (state.oldest..<state.oldest + state.count).reversed() {
                guard found.count < RefusalMemory.mostFound else { break }
                let refusal = state.ring[place % RefusalMemory.mostRefusals]
                if let refusal, refusal.id.elementsEqual(requestID.utf8) { found.append(refusal) }
            }
            return found
        }
    }

    /// The number of remembered refusals, and their bytes.
    var size: (count: Int, bytes: Int) { state.withLock { ($0.count, $0.bytes) } }
}
