import Model

/// Why an endpoint refuses. The reason has the code for log and metric, the status and the time to wait; a family has the
/// words for its clients and the shape of its replies.
package protocol EndpointFailure: ReasonedFailure {
    /// What the client gets.
    var detail: String { get }
    /// Fields beside those of the shape: a challenge, or the methods that there are.
    var fields: [(name: String, value: String)] { get }
    /// The reply without `fields` and `Retry-After`.
    var shape: EndpointResponse { get }
}

extension EndpointFailure {
    package var fields: [(name: String, value: String)] { [] }
    package var shape: EndpointResponse { .problem(reason, detail) }
    package var response: EndpointResponse { completed(shape) }

    /// - Parameter retryAfter: seconds, where they are known better than by the reason.
    package func completed(_ shape: EndpointResponse, retryAfter: Int? = nil) -> EndpointResponse {
        var response = shape
        response.headers += fields
        if let seconds = retryAfter ?? reason.retryAfterSeconds {
            response.headers.append((name: "Retry-After", value: "\(seconds)"))
        }
        return response
    }
}
