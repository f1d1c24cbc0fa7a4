import Bytes
import Endpoints
import Identity
import Model
import Outbound

/// Finds out which client asks for a token: by its secret, or by an assertion that it has signed, and never by both
/// (RFC 6749 section 2.3).
struct ClientAuthentication: Sendable {
    /// A client that has shown who it is.
    struct Proof: Sendable {
        let backend: Backend
        /// The id that must be new for the proof to count; nil for a secret.
        var singleUse: ClientAssertion.SingleUse?
    }

    private let backends: BackendStore
    private let assertions: ClientAssertionVerifier
    let throttle: ClientThrottle
    /// The client that has registered itself and is named by the request; nil for none.
    private(set) var registered: Backend?
    /// Compared with when there is no such client, so that both cases take the same time.
    private let decoy: Backend

    /// - Parameter audiences: what an assertion may be addressed to: the issuer and the token endpoint.
    init(backends: BackendStore, audiences: [String], throttle: ClientThrottle) {
        self.backends = backends
        self.throttle = throttle
        assertions = ClientAssertionVerifier(backends: backends, audiences: audiences)
        decoy = Backend(
            name: "", version: "", mobileBackendID: "", clientSecret: Secret(AccessTokenMinter.randomID()))
    }

    /// Continues with these clients and, if the request names one that has registered itself, with that one.
    func naming(
        _ request: EndpointRequest, _ settings: TokenServiceSettings, now: Int64,
        _ next: @escaping @Sendable (ClientAuthentication) throws(TokenFailure) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        let answer = { @Sendable (clients: ClientAuthentication) -> Effect<EndpointResponse> in
            do throws(TokenFailure) { return try next(clients) } catch { return .done(error.response) }
        }
        guard settings.registration != nil, let id = ClientAuthentication.namedClient(request),
            RegisteredClients.names(id)
        else { return answer(self) }
        return settings.client(id, now: now).then { found in
            guard case .success(let client) = found else { return .done(TokenFailure.storeUnavailable.response) }
            var clients = self
            clients.registered = client
            return answer(clients)
        }
    }

    /// The id that a request names, which nothing proves.
    private static func namedClient(_ request: EndpointRequest) -> String? {
        guard let form = try? TokenForm(request) else { return nil }
        guard let secret = try? PresentedSecret(request.authorization, form) else { return form["client_id"] }
        return secret.readings.first.flatMap { String(streamSafe: $0.id) }
    }

    private func backend(clientID: String) -> Backend? {
        if let registered, registered.clientID.isExactly(clientID) { return registered }
        return backends.backend(clientID: clientID)
    }

    /// The client's backend, whose OAuth switch is on.
    /// - Parameters:
    ///   - allowsPublic: whether a client without a credential may name itself (RFC 6749 section 3.2.1).
    ///   - now: seconds since 1970.
    func authenticate(
        _ request: EndpointRequest, _ form: TokenForm, allowsPublic: Bool = false, now: Int64
    ) throws(TokenFailure) -> Proof {
        let proof =
            if allowsPublic, let backend = publicClient(request, form) {
                Proof(backend: backend)
            } else if let assertion = try ClientAssertion(request.authorization, form) {
                try assertions.verify(assertion, now: now)
            } else {
                Proof(
                    backend: try authenticate(
                        PresentedSecret(request.authorization, form), from: ClientOrigin(request, now: now)))
            }
        // MBE-02: said only to the client itself.
        guard proof.backend.oauthConsumer else { throw .unauthorizedClient }
        return proof
    }

    /// The public client that a request without any credential names. An empty secret, which some libraries send for such
    /// a client, is none.
    private func publicClient(_ request: EndpointRequest, _ form: TokenForm) -> Backend? {
        guard form["client_assertion"] == nil, form["client_assertion_type"] == nil else { return nil }
        func named(_ id: String) -> Backend? { backend(clientID: id).flatMap { $0.grants.isPublic ? $0 : nil } }
        if request.authorization.isEmpty, form["client_secret"] == nil { return form["client_id"].flatMap(named) }
        guard let presented = try? PresentedSecret(request.authorization, form) else { return nil }
        for reading in presented.readings where reading.secret.isEmpty {
            guard let id = String(streamSafe: reading.id), let client = named(id) else { continue }
            return (try? presented.check(clientID: client.clientID)) == nil ? nil : client
        }
        return nil
    }

    /// The backend whose secret was presented.
    func authenticate(
        _ presented: PresentedSecret, from origin: ClientOrigin
    ) throws(TokenFailure) -> Backend {
        // Counted by client, in any spelling of its id. Unknown ids are counted by network only.
        let found = try throttle.first(of: presented, from: origin) {
            backend(of: $0)?.clientID ?? ""
        } owner: { reading in
            let backend = backend(of: reading)
            return (backend ?? decoy).hasSecret(reading.secret.span) ? backend : nil
        }
        guard let found else { throw .invalidClient }
        try presented.check(clientID: found.clientID)
        return found
    }

    private func backend(of reading: PresentedSecret.Pair) -> Backend? {
        String(streamSafe: reading.id).flatMap { backend(clientID: $0) }
    }
}
