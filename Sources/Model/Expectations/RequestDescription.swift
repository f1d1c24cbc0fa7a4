import Bytes

/// A request as it is described: what rules would decide about it is computed, and nothing is sent.
package struct RequestDescription: Sendable {
    package var method: String
    /// Path and query.
    package var target: String
    /// Host and optional port; nil for that of `baseUrl`.
    package var host: String?
    /// Further header fields, in their order.
    package var fields: [(name: String, value: String)] = []
    /// Of the client; nil for none, as on a Unix socket.
    package var address: IPAddress?
    /// Whether the client's own connection is encrypted.
    package var isEncrypted = true
    package var caller = CallerDescription.anonymous

    package init(_ method: String, _ target: String, host: String? = nil) {
        self.method = method
        self.target = target
        self.host = host
    }
}

/// Who sends a request, as it is described.
package enum CallerDescription: Equatable, Sendable {
    /// Without a credential.
    case anonymous
    /// With a token of a trusted issuer, by the name of its entry, that has these claims, an object.
    case token(issuer: String, claims: JSONNode)
    /// With an access token of the token service for a client, by its id, and for a user of its realm.
    case client(String, user: String?, scopes: [String])
    /// A local user: by the session of a browser where the route has a login, and else by name and password.
    /// - Parameter backend: id of the mobile backend that is named beside them; nil for none.
    case user(String, backend: String?)
    /// A browser that has logged in at an identity provider, which sent these claims, an object.
    case login(provider: String, claims: JSONNode)
    /// With a key of a consumer, by its id; nil for any that counts.
    case consumer(String, key: String?)
}
