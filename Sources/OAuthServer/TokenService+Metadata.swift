import Bytes
import Crypto
import Identity
import JOSE
import Model

extension TokenService {
    /// Authorization server metadata (RFC 8414 section 2). There is no authorization endpoint, hence no response type;
    /// the OpenID Connect document has the same content. Features of certain clients are listed only if such a client
    /// exists.
    static func metadata(_ settings: TokenServiceSettings) -> [UInt8] {
        let clients = settings.backends.backends.filter(\.oauthConsumer)
        let grants = clients.map(\.grants)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("issuer", settings.issuer)
        writer.member("token_endpoint", settings.baseURL + settings.tokenPath)
        if settings.publishedKeys.keys.contains(where: { $0.key.publicKey != nil }) {
            writer.member("jwks_uri", settings.baseURL + OAuthEndpoints.keySetPath)
        }
        writer.member("response_types_supported", [])
        writer.member("grant_types_supported", grantTypes(grants))
        let keys = clients.contains { $0.clientKeys != nil }
        addEndpoint("token", keys: keys, &writer)
        if !settings.scopes.isEmpty { writer.member("scopes_supported", settings.scopes) }
        writer.member("revocation_endpoint", settings.baseURL + settings.revocationPath)
        addEndpoint("revocation", keys: keys, &writer)
        if !settings.resourceServers.isEmpty || grants.contains(where: \.introspection) {
            writer.member("introspection_endpoint", settings.baseURL + settings.introspectionPath)
            addEndpoint("introspection", keys: keys, &writer)
        }
        let algorithms = SignatureAlgorithm.allCases.filter(PossessionProof.algorithms.contains).map(\.rawValue)
        writer.member("dpop_signing_alg_values_supported", algorithms)
        if grants.contains(where: \.bindsToCertificate) {
            writer.member("tls_client_certificate_bound_access_tokens", true)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func grantTypes(_ grants: [BackendGrants]) -> [String] {
        var types = ["client_credentials", "password"]
        if grants.contains(where: { $0.refresh != nil }) { types.append("refresh_token") }
        if grants.contains(where: { $0.exchange != nil }) { types.append(exchangeGrant) }
        return types
    }

    /// Client authentication methods of an endpoint.
    private static func addEndpoint(_ name: String, keys: Bool, _ writer: inout JSONWriter) {
        let secrets = ["client_secret_basic", "client_secret_post"]
        writer.member("\(name)_endpoint_auth_methods_supported", keys ? secrets + ["private_key_jwt"] : secrets)
        guard keys else { return }
        let algorithms = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)
        writer.member("\(name)_endpoint_auth_signing_alg_values_supported", algorithms)
    }
}
