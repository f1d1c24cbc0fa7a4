/// What a route answers by itself, in place of an upstream.
package enum RouteAnswer: Hashable, Sendable {
    case redirect(RouteRedirect)
    case response(RouteResponse)
}

/// A fixed response.
package struct RouteResponse: Hashable, Sendable {
    /// Longest body in bytes.
    package static let maximumBodyBytes = 65_536

    /// 200 to 599.
    package var status = 200
    /// Written where there is a body.
    package var contentType = "text/plain; charset=utf-8"
    package var body = ""

    /// Whether a response of this status can have no body (RFC 9110 section 15).
    package var isBodiless: Bool { [204, 205, 304].contains(status) }

    package init() {}
}
