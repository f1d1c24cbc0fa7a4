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

    /// A field that tells of an earlier hop: any alias of `Forwarded`, `X-Forwarded-` and whatever follows, and of the
    /// names by which balancers and frameworks call the client's address, scheme or host. None goes on as it came (other
    /// gateways' CVE-2026-35051 and more); what of them is believed of a trusted proxy is written anew.
    package static func isForwarding(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        switch field.alias {
        case .forwarded, .xForwardedFor, .xForwardedHost, .xForwardedProto, .xForwardedPort, .xForwardedPrefix,
            .xRealIP:
            true
        case .other:
            hasPrefix(bytes.slice(field.name), ("x_forwarded_" as StaticString).span)
                || tellsOfClient(bytes.slice(field.name))
        default: false
        }
    }

    /// A field that makes frameworks take another method, path or environment than the one the decision was about
    /// (another gateway's CVE-2023-30845; `Proxy`: CVE-2016-5385 and its kin).
    package static func isOverride(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        switch field.alias {
        case .xHTTPMethodOverride, .xMethodOverride, .xHTTPMethod, .xOriginalURL, .xRewriteURL, .xOriginalMethod: true
        case .other:
            hasPrefix(bytes.slice(field.name), ("x_original_" as StaticString).span)
                || isAlias(bytes.slice(field.name), of: ("proxy" as StaticString).span)
        default: false
        }
    }

    /// By length first: most names are done with one comparison of numbers.
    private static func tellsOfClient(_ name: Span<UInt8>) -> Bool {
        func named(_ other: StaticString) -> Bool { isAlias(name, of: other.span) }
        return switch name.count {
        case 6: named("x_host")
        case 8: named("x_scheme")
        case 9: named("client_ip")
        // RFC 9440 section 4: whoever ends TLS takes away what a client says of its certificate, by any usual name.
        case 11: named("x_client_ip") || named("x_remote_ip") || named("x_forwarded") || named("client_cert")
        case 12: named("x_url_scheme")
        case 13: named("x_remote_addr") || named("fly_client_ip") || named("forwarded_for") || named("x_client_cert")
        case 14: named("true_client_ip") || named("x_proxyuser_ip")
        case 15: named("proxy_client_ip") || named("front_end_https") || named("x_ssl_client_dn")
        case 16:
            named("cf_connecting_ip") || named("fastly_client_ip") || named("x_azure_clientip")
                || named("x_azure_socketip")
        case 17: named("client_cert_chain") || named("x_ssl_client_cert")
        case 18: named("cf_connecting_ipv6") || named("wl_proxy_client_ip")
        case 19: named("x_ssl_client_verify") || named("x_cluster_client_ip") || named("x_appengine_user_ip")
        case 20: named("x_http_host_override")
        case 24: named("x_envoy_external_address")
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
