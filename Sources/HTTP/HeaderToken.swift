/// The header names that have a meaning for the gateway; all others are `.other`.
package enum HeaderToken: UInt8, Sendable, CaseIterable {
    case other
    case host, connection, keepAlive, proxyConnection, te, trailer, transferEncoding, contentLength, upgrade, expect
    case authorization, dpop, proxyAuthorization, proxyAuthenticate, wwwAuthenticate, cookie, setCookie, clearSiteData
    case origin, accessControlRequestMethod, accessControlRequestHeaders, accessControlRequestPrivateNetwork
    case accessControlAllowOrigin, accessControlAllowMethods, accessControlAllowHeaders
    case accessControlAllowCredentials, accessControlExposeHeaders, accessControlMaxAge
    case accessControlAllowPrivateNetwork
    case vary, date, server, via, location, contentType, accept, userAgent, retryAfter, cacheControl
    case secFetchMode, secFetchSite
    case forwarded, xForwardedFor, xForwardedHost, xForwardedProto, xForwardedPort, xForwardedPrefix, xRealIP
    case xRequestID, traceparent
    case backendID, socialProvider, socialToken, applicationKey
    case xGatewayUser, xGatewayRoles, xGatewayBackend
    case xHTTPMethodOverride, xMethodOverride, xHTTPMethod, xOriginalURL, xRewriteURL, xOriginalMethod

    /// Stated for other modules, as that of `Reason`.
    package static func == (left: HeaderToken, right: HeaderToken) -> Bool { left.rawValue == right.rawValue }
    package static func != (left: HeaderToken, right: HeaderToken) -> Bool { left.rawValue != right.rawValue }
}
