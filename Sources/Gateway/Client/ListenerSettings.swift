import Crypto
import HTTP
import Model

/// Settings for the connections of one listener.
package struct ListenerSettings: Sendable {
    package var rules: ListenerRules
    /// TLS; nil for none.
    package var tls: TLS?

    package struct TLS: Sendable {
        package var context: TLSServerContext
        /// Limit for the whole handshake, in milliseconds.
        package var handshakeTimeout: Int64
        /// Users that certificates of its clients stand for.
        package var users: [CertificateUserRule]

        package init(_ context: TLSServerContext, users: [CertificateUserRule], handshakeTimeout: Int64) {
            self.context = context
            self.users = users
            self.handshakeTimeout = handshakeTimeout
        }
    }

    /// Whether endpoints accept credentials over clear text (GW-13); over TLS they always do.
    package var takesClearCredentials = false

    /// Set if trusted proxies tell certificates of their clients.
    package var forwardedCertificates: ForwardedCertificates?

    package init(_ rules: ListenerRules) { self.rules = rules }
}
