import Identity

/// Finds out which client asks for a token: by its secret, or by an assertion that it has signed, and never by both
/// (RFC 6749 section 2.3).
struct ClientAuthentication: Sendable {
    /// A client that has shown who it is.
    struct Proof: Sendable {
        let backend: Backend
        /// What is to be seen for the first time before the proof counts; nil for a secret.
        var singleUse: ClientAssertion.SingleUse?
    }

    private let backends: BackendStore
    private let assertions: ClientAssertionVerifier
    /// Compared with when there is no such client, so that both cases take the same time.
    private let decoy: Backend

    /// - Parameter audiences: what an assertion may be addressed to: the issuer and the token endpoint.
    init(backends: BackendStore, audiences: [String]) {
        self.backends = backends
        assertions = ClientAssertionVerifier(backends: backends, audiences: audiences)
        decoy = Backend(
            name: "", version: "", mobileBackendID: "", anonymousKey: "", clientID: "",
            clientSecret: AccessTokenMinter.randomID())
    }

    /// The client's backend, whose OAuth switch is on.
    /// - Parameters:
    ///   - authorization: the values of all `Authorization` fields.
    ///   - now: seconds since 1970.
    func authenticate(_ authorization: [String], _ form: TokenForm, now: Int64) throws(TokenFailure) -> Proof {
        let proof =
            if let assertion = try ClientAssertion(authorization, form) {
                try assertions.verify(assertion, now: now)
            } else {
                Proof(backend: try authenticate(PresentedSecret(authorization, form)))
            }
        // MBE-02: said only to the client itself.
        guard proof.backend.oauthConsumer else { throw .unauthorizedClient }
        return proof
    }

    /// The backend whose secret was presented.
    func authenticate(_ presented: PresentedSecret) throws(TokenFailure) -> Backend {
        for reading in presented.readings {
            let backend = String(validating: reading.id, as: UTF8.self).flatMap { backends.backend(clientID: $0) }
            if (backend ?? decoy).hasSecret(reading.secret.span), let backend {
                try presented.check(clientID: backend.clientID)
                return backend
            }
        }
        throw .invalidClient
    }
}
