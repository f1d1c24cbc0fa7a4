import Bytes

/// Comparison of field names as upstreams compare them that map every character but letters and digits to `_` (CGI,
/// WSGI, PHP): `x_gateway.user` is an alias of `X-Gateway-User`. Fields the gateway owns are deleted in every alias
/// (GW-09).
package enum ManagedName {
    /// Whether one name is an alias of the other.
    package static func isAlias(_ name: Span<UInt8>, of managed: Span<UInt8>) -> Bool {
        name.count == managed.count && hasPrefix(name, managed)
    }

    /// A field of the gateway's own family: any alias of `X-Gateway-` and whatever follows.
    package static func isOwn(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        switch field.alias {
        case .xGatewayUser, .xGatewayRoles, .xGatewayBackend: true
        case .other: hasPrefix(bytes.slice(field.name), ("x_gateway_" as StaticString).span)
        default: false
        }
    }

    /// A field that tells of an earlier hop: any alias of `Forwarded`, `X-Real-IP`, `X-Forwarded-` and whatever
    /// follows. They are believed of nobody (other gateways' CVE-2026-35051 and more).
    package static func isForwarding(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        switch field.alias {
        case .forwarded, .xForwardedFor, .xForwardedHost, .xForwardedProto, .xForwardedPort, .xForwardedPrefix,
            .xRealIP:
            true
        case .other:
            hasPrefix(bytes.slice(field.name), ("x_forwarded_" as StaticString).span)
                || isAlias(bytes.slice(field.name), of: ("x_forwarded" as StaticString).span)
        default: false
        }
    }

    /// A field that makes frameworks take another method or path than the one the decision was about
    /// (another gateway's CVE-2023-30845).
    package static func isOverride(_ field: HeaderField) -> Bool {
        switch field.alias {
        case .xHTTPMethodOverride, .xMethodOverride, .xHTTPMethod, .xOriginalURL, .xRewriteURL, .xOriginalMethod: true
        default: false
        }
    }

    /// Letters in lower case and digits as they are, everything else `_`.
    @inline(__always)
    private static func plain(_ byte: UInt8) -> UInt8 {
        ASCII.isLetter(byte) ? byte | 32 : (ASCII.isDigit(byte) ? byte : 95)
    }

    private static func hasPrefix(_ name: Span<UInt8>, _ prefix: Span<UInt8>) -> Bool {
        guard name.count >= prefix.count else { return false }
        for i in prefix.indices where plain(name[i]) != plain(prefix[i]) { return false }
        return true
    }
}
