import Model
import Outbound

/// What answers the gateway's own endpoints: each family adds its handlers, and the data plane looks those of a
/// configuration up once.
package struct EndpointHandlers: Sendable {
    private var handlers: [EndpointDescriptor: EndpointHandler] = [:]

    package init() {}

    /// Adds the handlers of a family. An endpoint keeps the handler that was added first.
    package mutating func add(_ family: [EndpointDescriptor: EndpointHandler]) {
        handlers.merge(family) { first, _ in first }
    }

    /// The handler of an endpoint; nil for one that no family answers.
    package func handler(of endpoint: EndpointDescriptor) -> EndpointHandler? {
        guard let handler = handlers[endpoint] else { return nil }
        let limit = endpoint.largestBody
        return { request, now in
            guard request.body.count <= limit else {
                return .done(.tokenError("invalid_request", "the body is too large", .bodyTooLarge))
            }
            return handler(request, now)
        }
    }
}
