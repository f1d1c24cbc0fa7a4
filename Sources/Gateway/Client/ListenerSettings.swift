import Crypto
import HTTP
import Model

/// How the connections of one listener are treated.
package struct ListenerSettings: Sendable {
    /// The name in logs.
    package var name: String
    /// What it serves. The admin listener has no settings of this kind.
    package var role = ListenerRole.proxy
    /// HTTP/2: without TLS by prior knowledge (RFC 9113 section 3.3), with TLS where the client chooses it.
    package var takesHTTP2 = false
    /// TLS; nil for none.
    package var tls: TLS?

    package struct TLS: Sendable {
        package var context: TLSServerContext
        /// For the whole handshake, in milliseconds.
        package var handshakeTimeout: Int64 = 10_000

        package init(_ context: TLSServerContext) { self.context = context }
    }

    /// Whether endpoints take credentials that come in the clear (GW-13); over TLS they always do.
    package var takesClearCredentials = false

    /// The peers that begin a connection with a PROXY header, of whom it is required.
    package var proxyPeers: [IPAddressRange] = []

    package init(name: String) { self.name = name }
}
