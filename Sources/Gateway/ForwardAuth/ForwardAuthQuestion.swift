import Bytes
import HTTP
import Model

/// A request of another proxy to the forward-auth endpoint. Its exchange decides the described request instead, and the
/// response is the decision.
final class ForwardAuthQuestion {
    /// The label of metrics.
    static let endpointName = "forward_auth"

    let form: DescribedRequest.Form
    /// Whether the question is a HEAD, regardless of the described method.
    let wantsNoBody: Bool
    /// The head of the described request, once the description was read.
    let buffer = Chunk(capacity: 1024)

    init(_ form: DescribedRequest.Form, wantsNoBody: Bool) {
        self.form = form
        self.wantsNoBody = wantsNoBody
    }

    /// Parses the described request like any other; nil if it is invalid.
    func parse(_ limits: HTTPLimits, into table: HeaderTable) -> RequestHead? {
        var parser = RequestParser(limits: limits)
        let buffer = buffer
        guard case .head(let head) = parser.parse(buffer.readable, into: table) else { return nil }
        return head
    }
}
