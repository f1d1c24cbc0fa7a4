import Bytes
import HTTP
import Model

@testable import Policy

extension TestRequest {
    /// The canonical path as the route wants it; nil where it is refused.
    func canonicalPath(_ snapshot: PolicySnapshot) -> [UInt8]? {
        let received = [UInt8](copying: bytes.span.slice(head.path))
        let scratch = Chunk(capacity: 1)
        return
            switch RequestPath.canonicalise(
                received.span, snapshot, bytes: bytes.span, head: head, headers: headers, into: scratch)
        {
        case .unchanged: received
        case .rewritten: [UInt8](copying: scratch.readable)
        case .ambiguous: nil
        }
    }

    /// The name of the route that the request is admitted to, or the code of its refusal.
    func answer(_ snapshot: PolicySnapshot) -> String {
        guard let path = canonicalPath(snapshot) else { return Reason.ambiguousPath.code }
        var decision = Decision(
            snapshot, path: path.span, bytes: bytes.span, head: head, headers: headers, now: TestPolicy.now)
        while true {
            switch decision.advance(snapshot, path: path.span, bytes: bytes.span, head: head, headers: headers) {
            case .deny(let reason): return reason.code
            case .admit: return decision.route?.name ?? "endpoint"
            case .ask, .answerPreflight, .answerIcon: break
            }
        }
    }

    /// The route or endpoint of another path.
    func match(_ snapshot: PolicySnapshot, _ path: [UInt8]) -> RouteMatch {
        snapshot.match(path: path.span, bytes: bytes.span, head: head, headers: headers)
    }
}
