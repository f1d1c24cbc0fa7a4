import HTTP

/// How the connections of one listener are treated.
package struct ListenerSettings: Sendable {
    /// The name in logs.
    package var name: String
    /// HTTP/2: without TLS by prior knowledge (RFC 9113 section 3.3), with TLS where the client chooses it.
    package var takesHTTP2 = false

    /// The peers that begin a connection with a PROXY header, of whom it is required.
    package var proxyPeers: [IPAddressRange] = []

    package init(name: String) { self.name = name }
}
