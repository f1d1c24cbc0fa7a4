/// The forward-auth endpoint of a listener: other proxies ask there whether to forward a request.
package struct ForwardAuthSettings: Hashable, Sendable {
    /// Path for proxies that describe the request in header fields (nginx, Traefik, Caddy); empty for none.
    package var path: [UInt8]
    /// Prefix of the target for proxies that send the method and target of the request (Envoy); empty for none.
    package var pathPrefix: [UInt8]
    /// The peers that may ask.
    package var trustedProxies: [IPAddressRange]

    package init(path: [UInt8] = [], pathPrefix: [UInt8] = [], trustedProxies: [IPAddressRange] = []) {
        self.path = path
        self.pathPrefix = pathPrefix
        self.trustedProxies = trustedProxies
    }
}
