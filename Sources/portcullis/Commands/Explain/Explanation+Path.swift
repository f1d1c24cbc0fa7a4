import Bytes
import HTTP
import Model
import Policy

extension Explanation {
    /// The path as its route wants it; nil after a refusal.
    mutating func canonicalPath(_ request: [UInt8], _ head: RequestHead, _ fields: HeaderTable) -> [UInt8]? {
        let received = Array(request[Int(head.path.start)..<Int(head.path.end)])
        let scratch = Chunk(capacity: 3 * received.count + 1)
        switch RequestPath.canonicalise(
            received.span, policy, bytes: request.span, head: head, headers: fields, into: scratch)
        {
        case .unchanged: return received
        case .rewritten: return [UInt8](copying: scratch.readable)
        case .ambiguous(let ambiguity):
            refuse("path", .ambiguousPath, Evidence([ambiguity.text]))
            return nil
        }
    }

    /// Whether a listener that redirects to `https` answers the request itself.
    func precedesRedirect(_ request: [UInt8], _ head: RequestHead, with fields: HeaderTable) -> Bool {
        var trial = self
        guard let path = trial.canonicalPath(request, head, fields) else { return false }
        return policy.routes.answersBeforeRedirect(path.span)
    }
}
