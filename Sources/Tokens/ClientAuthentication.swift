import Bytes
import Crypto
import HTTP
import Identity

/// Finds out which client asks for a token: by `Authorization: Basic`, or by `client_id` and `client_secret` in the form
/// (RFC 6749 section 2.3.1), and never by both.
struct ClientAuthentication: Sendable {
    private let backends: BackendStore
    /// Compared with when there is no such client, so that both cases take the same time.
    private let decoy: Backend

    init(backends: BackendStore) {
        self.backends = backends
        decoy = Backend(
            name: "", version: "", mobileBackendID: "", anonymousKey: "", clientID: "",
            clientSecret: AccessTokenMinter.randomID())
    }

    /// The authenticated client's backend, whose OAuth switch is on.
    /// - Parameter authorization: the values of all `Authorization` fields.
    func authenticate(_ authorization: [String], _ form: TokenForm) throws(TokenFailure) -> Backend {
        guard authorization.count <= 1 else { throw .repeatedAuthorization }
        let backend =
            if let field = authorization.first { try authenticate(field: field, form) } else { try authenticate(form) }
        // MBE-02: said only to the client itself.
        guard backend.oauthConsumer else { throw .unauthorizedClient }
        return backend
    }

    private func authenticate(_ form: TokenForm) throws(TokenFailure) -> Backend {
        guard let id = form["client_id"], let secret = form["client_secret"],
            let backend = backend(id: Array(id.utf8), secret: Array(secret.utf8))
        else { throw .invalidClient }
        return backend
    }

    private func authenticate(field: String, _ form: TokenForm) throws(TokenFailure) -> Backend {
        // X15: two methods in one request, whether they agree or not.
        guard form["client_secret"] == nil else { throw .twoCredentials }
        guard let (id, secret) = ClientAuthentication.basic(field), let backend = backend(basicID: id, secret: secret)
        else { throw .invalidClient }
        // X16: a bare client_id that agrees is no second method.
        if let named = form["client_id"], !named.utf8.elementsEqual(backend.clientID.utf8) {
            throw .conflictingClientID
        }
        return backend
    }

    /// The client of a Basic field. RFC 6749 has id and secret form-encoded before Base64; most clients, `curl -u`
    /// among them, send them plain. Both readings are tried: each must name a client and its very secret.
    private func backend(basicID id: [UInt8], secret: [UInt8]) -> Backend? {
        if let backend = backend(id: id, secret: secret) { return backend }
        guard let id = TokenForm.decode(id), let secret = TokenForm.decode(secret) else { return nil }
        return backend(id: id, secret: secret)
    }

    private func backend(id: [UInt8], secret: [UInt8]) -> Backend? {
        let backend = String(validating: id, as: UTF8.self).flatMap { backends.backend(clientID: $0) }
        return (backend ?? decoy).hasSecret(secret.span) ? backend : nil
    }

    /// User and password of a Basic field, split at the first colon (RFC 7617 section 2).
    private static func basic(_ field: String) -> (id: [UInt8], secret: [UInt8])? {
        let field = Array(field.utf8)
        let scheme = Array("basic ".utf8)
        guard field.count > scheme.count, field.prefix(scheme.count).map(ASCII.lowercased) == scheme else { return nil }
        let text = Array(field[scheme.count...].drop { $0 == ASCII.space })
        guard let pair = Base64.decode(text.span), let colon = pair.firstIndex(of: ASCII.colon) else { return nil }
        return (id: Array(pair[..<colon]), secret: Array(pair[(colon + 1)...]))
    }
}
