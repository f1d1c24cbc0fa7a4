import Bytes
import Crypto
import Identity
import JOSE
import Model

/// Believes client assertions that are signed with a key of the client: `private_key_jwt` (RFC 7523
/// section 3). There is no `client_secret_jwt`: it would want the secret in clear for nothing that the keys lack.
struct ClientAssertionVerifier: Sendable {
    /// Maximum age of an assertion, regardless of its `exp`, and how long it is remembered against a second use.
    static let longestSeconds: Int64 = 300
    /// By how much a client's clock may differ.
    private static let skewSeconds: Int64 = 30
    private static let longestTokenID = 256

    private let verifier: JWTVerifier
    private let clients: [Client]
    private let store: Clients
    let audiences: [String]

    init(clients: Clients, audiences: [String]) {
        var known: [Client] = []
        var issuers: [TrustedIssuer] = []
        for client in clients.clients {
            guard let keys = clients.clientKeys[client.id], !client.clientID.isEmpty else { continue }
            known.append(client)
            issuers.append(
                TrustedIssuer(
                    name: client.clientID, issuer: client.clientID, audiences: audiences, keys: keys,
                    purpose: .clientAuthentication, clockSkewSeconds: ClientAssertionVerifier.skewSeconds))
        }
        verifier = JWTVerifier(issuers: issuers)
        self.clients = known
        store = clients
        self.audiences = audiences
    }

    /// - Parameter now: seconds since 1970.
    func verify(_ assertion: ClientAssertion, now: Int64) throws(TokenFailure) -> ClientAuthentication.Proof {
        guard case .verified(let token) = verifier.verify(assertion.token.span, now: now),
            isAddressedToUsAlone(token.claims)
        else { throw .invalidClientAssertion }
        // As it is now: another gateway may have revoked it.
        guard let client = store.client(clientID: clients[token.issuerIndex].clientID), !client.isRevoked else {
            throw .invalidClientAssertion
        }
        // RFC 7523 section 3: both `iss` and `sub` are the client.
        guard let subject = token.subject, subject.isExactly(client.clientID),
            let id = token.tokenID, !id.isEmpty, id.utf8.count <= ClientAssertionVerifier.longestTokenID
        else { throw .invalidClientAssertion }
        if let named = assertion.named, !named.isExactly(client.clientID) { throw .conflictingClientID }
        let end = min(token.expiresAt, (token.issuedAt ?? now) + ClientAssertionVerifier.longestSeconds)
        let until = end + ClientAssertionVerifier.skewSeconds
        // One that says nothing of its making must not live for long by itself.
        if token.issuedAt == nil, token.expiresAt > now + ClientAssertionVerifier.longestSeconds {
            throw .invalidClientAssertion
        }
        guard now < until else { throw .invalidClientAssertion }
        let digest = DigestAlgorithm.sha256.digest(
            Array("\(client.clientID.utf8.count) \(client.clientID)\(id)".utf8).span)
        let key = "client-assertion:" + String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
        return ClientAuthentication.Proof(
            client: client, singleUse: ClientAssertion.SingleUse(key: key, until: until))
    }

    /// A client that another server has tricked into addressing its assertion to both of us must not be believed: the
    /// other one could use it here. The verifier has seen that we are among them.
    private func isAddressedToUsAlone(_ claims: JSONNode) -> Bool {
        guard let elements = claims["aud"]?.array else { return true }
        return elements.allSatisfy { element in
            audiences.contains { element.string?.isExactly($0) ?? false }
        }
    }
}
