import Outbound

/// Answers requests for an endpoint. Called on an event loop, with the time in seconds since 1970.
package typealias EndpointHandler = @Sendable (EndpointRequest, _ now: Int64) -> Effect<EndpointResponse>
