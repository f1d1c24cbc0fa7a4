import Bytes
import Crypto
import Identity
import JOSE
import Model

/// Authorization server metadata (RFC 8414 section 2). The OpenID Connect document has the same content. Features of
/// certain clients are listed only if such a client exists.
struct ServerDocument {
    private let settings: TokenServiceSettings
    private let clients: [Client]

    init(_ settings: TokenServiceSettings) {
        self.settings = settings
        clients = settings.clients.clients.filter(\.oauthConsumer)
    }

    private var grants: [ClientGrants] { clients.map(\.grants) }

    /// Whether ids of clients may be URLs of their metadata (draft-ietf-oauth-client-id-metadata-document-02 section 6).
    private var hasDocuments: Bool { settings.currentRegistration?.documents != nil }

    private func url(_ endpoint: EndpointDescriptor) -> String { settings.baseURL + settings.paths[endpoint] }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("issuer", settings.issuer)
        writer.member("token_endpoint", url(.token))
        if settings.keys.published.keys.contains(where: { $0.key.publicKey != nil }) {
            writer.member("jwks_uri", url(.jwks))
        }
        addAuthorization(&writer)
        if settings.hasDevices {
            // RFC 8628 section 4.
            writer.member("device_authorization_endpoint", url(.deviceAuthorization))
        }
        addOpenID(&writer)
        if settings.currentRegistration?.hasEndpoint == true {
            writer.member("registration_endpoint", url(.clientRegistration))
        }
        if hasDocuments { writer.member("client_id_metadata_document_supported", true) }
        writer.member("grant_types_supported", grantTypes)
        if hasIdentityAssertions {
            writer.member("authorization_grant_profiles_supported", [IdentityAssertions.profile])
        }
        addEndpoint("token", allowsPublic: true, &writer)
        let scopes = settings.hasAuthorization || settings.hasDevices ? settings.scopesOfUsers : settings.terms.scopes
        if !scopes.isEmpty { writer.member("scopes_supported", scopes) }
        writer.member("revocation_endpoint", url(.revocation))
        addEndpoint("revocation", allowsPublic: true, &writer)
        if !settings.resourceServers.isEmpty || grants.contains(where: \.introspection) {
            writer.member("introspection_endpoint", url(.introspection))
            addEndpoint("introspection", allowsPublic: false, &writer)
        }
        addBinding(&writer)
        // RFC 9728 section 4.
        if !settings.resources.all.isEmpty { writer.member("protected_resources", settings.resources.all) }
        writer.endObject()
        return writer.bytes
    }

    /// Bound tokens (RFC 9449 section 5.1, RFC 8705 section 3.3).
    private func addBinding(_ writer: inout JSONWriter) {
        let algorithms = SignatureAlgorithm.allCases.filter(PossessionProof.algorithms.contains).flatMap(\.names)
        writer.member("dpop_signing_alg_values_supported", algorithms)
        if grants.contains(where: \.bindsToCertificate) {
            writer.member("tls_client_certificate_bound_access_tokens", true)
        }
    }

    /// The authorization endpoint.
    private func addAuthorization(_ writer: inout JSONWriter) {
        guard settings.hasAuthorization else { return writer.member("response_types_supported", []) }
        writer.member("authorization_endpoint", url(.authorization))
        writer.member("pushed_authorization_request_endpoint", url(.pushedRequest))
        writer.member("response_types_supported", ["code"])
        writer.member("response_modes_supported", ["query", "form_post"])
        writer.member("code_challenge_methods_supported", ["S256"])
        // RFC 9207 section 3.
        writer.member("authorization_response_iss_parameter_supported", true)
        writer.member("request_parameter_supported", false)
        writer.member("request_uri_parameter_supported", false)
        writer.member("prompt_values_supported", ["none", "login", "consent", "select_account"])
        if !settings.pageLanguages.isEmpty { writer.member("ui_locales_supported", settings.pageLanguages) }
    }

    /// OpenID Connect Discovery section 3.
    private func addOpenID(_ writer: inout JSONWriter) {
        guard settings.hasOpenID, settings.hasAuthorization || settings.hasDevices else { return }
        writer.member("userinfo_endpoint", url(.userInfo))
        writer.member("end_session_endpoint", url(.endSession))
        writer.member("subject_types_supported", ["public"])
        writer.member("id_token_signing_alg_values_supported", settings.keys.idTokenAlgorithms.map(\.rawValue))
        let others = Set(grants.compactMap(\.groupsClaim) + settings.terms.scopeClaims.map(\.name))
        writer.member("claims_supported", OpenIDClaims.names + others.subtracting(OpenIDClaims.names).sorted())
        writer.member("claims_parameter_supported", false)
    }

    private var hasIdentityAssertions: Bool {
        settings.identityAssertions != nil && clients.contains(where: \.takesIdentityAssertions)
    }

    private var grantTypes: [String] {
        var types = [GrantType.clientCredentials, .password].filter { type in
            grants.isEmpty || grants.contains { !$0.withheld.contains(type) }
        }
        if settings.hasAuthorization { types.append(.authorizationCode) }
        if settings.hasDevices { types.append(.deviceCode) }
        if grants.contains(where: { $0.refresh != nil }) { types.append(.refreshToken) }
        if grants.contains(where: { $0.exchange != nil }) { types.append(.tokenExchange) }
        if hasIdentityAssertions { types.append(.jwtBearer) }
        return types.map(\.rawValue)
    }

    /// Client authentication methods of an endpoint.
    private func addEndpoint(_ name: String, allowsPublic: Bool, _ writer: inout JSONWriter) {
        let hasKeys = hasDocuments || clients.contains { settings.clients.clientKeys[$0.id] != nil }
        var methods = ["client_secret_basic", "client_secret_post"]
        if hasKeys { methods.append("private_key_jwt") }
        if allowsPublic, settings.currentRegistration != nil || grants.contains(where: \.isPublic) {
            methods.append("none")
        }
        writer.member("\(name)_endpoint_auth_methods_supported", methods)
        guard hasKeys else { return }
        let algorithms = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.flatMap(\.names)
        writer.member("\(name)_endpoint_auth_signing_alg_values_supported", algorithms)
    }
}
