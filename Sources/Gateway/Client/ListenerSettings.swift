import Crypto
import HTTP
import Model

/// Settings for the connections of one listener.
package struct ListenerSettings: Sendable {
    /// Its name in logs.
    package var name: String
    /// Its role. The admin listener has no such settings.
    package var role = ListenerRole.proxy
    /// Where clients are sent, if `role` is `redirect`.
    package var redirect: HTTPSRedirect?
    /// HTTP/2: by prior knowledge without TLS (RFC 9113 section 3.3), by ALPN with TLS.
    package var takesHTTP2 = false
    /// TLS; nil for none.
    package var tls: TLS?

    package struct TLS: Sendable {
        package var context: TLSServerContext
        /// Limit for the whole handshake, in milliseconds.
        package var handshakeTimeout: Int64 = 10_000

        /// Users that certificates of its clients stand for.
        package var users: [CertificateUserRule] = []

        package init(_ context: TLSServerContext) { self.context = context }
    }

    /// Whether endpoints accept credentials over clear text (GW-13); over TLS they always do.
    package var takesClearCredentials = false

    /// Peers that must begin a connection with a PROXY header.
    package var proxyPeers: [IPAddressRange] = []

    /// Who may ask for decisions and how, if `role` is `forwardAuth`.
    package var forwardAuth: ForwardAuthSettings?

    /// Set if trusted proxies tell certificates of their clients.
    package var forwardedCertificates: ForwardedCertificates?

    package init(name: String) { self.name = name }
}
