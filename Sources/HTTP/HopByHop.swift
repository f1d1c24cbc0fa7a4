import Bytes

/// Hop-by-hop fields, which are not forwarded (RFC 9110 section 7.6.1).
package enum HopByHop {
    /// Fields that are never forwarded, listed in `Connection` or not.
    package static func contains(_ token: HeaderToken) -> Bool {
        switch token {
        case .connection, .keepAlive, .proxyConnection, .te, .trailer, .transferEncoding, .upgrade,
            .proxyAuthorization, .proxyAuthenticate:
            true
        default: false
        }
    }

    /// Fields that a client's `Connection` must not remove, since the gateway decides by them or adds them (other
    /// gateways' GHSA-w9mr-28mw-j8hg, CVE-2024-45410).
    package static func isProtected(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        switch field.alias {
        case .host, .contentLength, .expect, .authorization, .dpop, .cookie, .setCookie, .origin, .wwwAuthenticate,
            .vary,
            .contentType, .via, .date, .location, .cacheControl, .retryAfter, .xRequestID, .traceparent,
            .accessControlRequestMethod, .accessControlRequestHeaders, .accessControlRequestPrivateNetwork,
            .accessControlAllowOrigin, .accessControlAllowMethods, .accessControlAllowHeaders,
            .accessControlAllowCredentials, .accessControlExposeHeaders, .accessControlMaxAge,
            .accessControlAllowPrivateNetwork, .backendID, .socialProvider,
            .socialToken, .applicationKey:
            true
        default: ManagedNames.standard.contains(field, bytes)
        }
    }

    /// Whether this field of the head must not be forwarded.
    ///
    /// - Parameter options: the head's connection options, read once per head.
    package static func drops(
        _ field: HeaderField, _ options: ConnectionOptions, _ headers: HeaderTable, _ bytes: Span<UInt8>
    ) -> Bool {
        if contains(field.token) { return true }
        guard options.namesFields else { return false }
        return !isProtected(field, bytes) && ConnectionOptions.names(bytes.slice(field.name), headers, bytes)
    }
}
