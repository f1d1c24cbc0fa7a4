/// What a host, path and method lead to.
package enum RouteMatch: Sendable {
    case route(Route)
    case endpoint(EndpointRoute)
    /// The most specific pattern is this route's, and no route of that pattern has the method.
    case methodNotAllowed(Route)
    case notFound
}
