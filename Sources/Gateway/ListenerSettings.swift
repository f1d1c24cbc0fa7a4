/// How the connections of one listener are treated.
package struct ListenerSettings: Sendable {
    /// The name in logs.
    package var name: String
    /// HTTP/2: without TLS by prior knowledge (RFC 9113 section 3.3), with TLS where the client chooses it.
    package var takesHTTP2 = false

    package init(name: String) { self.name = name }
}
