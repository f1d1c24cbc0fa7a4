/// Result of matching host, path and method.
package enum RouteMatch: Sendable {
    case route(Route)
    /// Header fields or the query choose between routes of the most specific pattern.
    case selection(RouteSelection)
    case endpoint(EndpointRoute)
    /// The most specific pattern is this route's, but no route with that pattern has the method.
    case methodNotAllowed(Route)
    case notFound
}
