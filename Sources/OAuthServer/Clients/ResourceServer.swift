import Bytes
import Crypto
import Identity

/// A server behind the gateway, or beside it, that may introspect access tokens (RFC 7662) and gets none itself.
package struct ResourceServer: Sendable {
    package var clientID: String
    package var clientSecret: String
    /// Ids of the clients whose tokens it may ask about; nil for all.
    package var clients: [String]?

    package init(clientID: String, clientSecret: String, clients: [String]? = nil) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clients = clients
    }

    /// How logs name it.
    var reference: String { clientID }

    /// Whether id and secret are this server's. The time taken tells nothing about the secret.
    func isPresented(_ pair: PresentedSecret.Pair) -> Bool {
        let expected = DigestAlgorithm.sha256.digest(Array(clientSecret.utf8).span)
        let presented = DigestAlgorithm.sha256.digest(pair.secret.span)
        let isSecret = constantTimeEqual(expected.span, presented.span) && !clientSecret.isEmpty
        return isSecret && pair.id.elementsEqual(clientID.utf8)
    }

    func mayAsk(about claims: AccessTokenClaims) -> Bool {
        clients?.contains { $0.isExactly(claims.backendID) } ?? true
    }
}
