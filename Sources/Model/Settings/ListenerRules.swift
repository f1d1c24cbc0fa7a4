/// What a listener does with its connections, apart from its socket and TLS.
package struct ListenerRules: Sendable {
    /// Its name in logs and metrics.
    package var name: String
    /// The admin listener has no such rules.
    package var role: ListenerRole
    /// Whether HTTP/2 is supported: by prior knowledge without TLS (RFC 9113 section 3.3), by ALPN with TLS.
    package var http2: Bool
    /// Peers that must begin a connection with a PROXY header; from other peers it is an error.
    package var proxyPeers: [IPAddressRange]
    /// Who may ask for decisions and how; nil where `role` is not `forwardAuth`.
    package var forwardAuth: ForwardAuthSettings?
    /// Where clients are sent; nil where `role` is not `redirect`.
    package var redirect: HTTPSRedirect?

    /// Whether its requests are in the access log.
    package var isLogged: Bool

    package init(
        name: String, role: ListenerRole = .proxy, http2: Bool = false, proxyPeers: [IPAddressRange] = [],
        forwardAuth: ForwardAuthSettings? = nil, redirect: HTTPSRedirect? = nil, isLogged: Bool = true
    ) {
        self.name = name
        self.role = role
        self.http2 = http2
        self.proxyPeers = proxyPeers
        self.forwardAuth = forwardAuth
        self.redirect = redirect
        self.isLogged = isLogged
    }
}
