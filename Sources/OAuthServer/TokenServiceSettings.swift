import Identity
import JOSE
import Model
import TokenStorage

/// What the token service is built from. Immutable; a reload builds another service.
package struct TokenServiceSettings: Sendable {
    /// `iss` of its tokens, and where the metadata says the service is: without a trailing slash.
    package var issuer: String
    /// `aud` of its tokens.
    package var audience: [String]
    /// The gateway's base URL, without a trailing slash.
    package var baseURL: String
    /// Path of the token endpoint that the metadata names.
    package var tokenPath = OAuthEndpoints.tokenPath
    /// Path of the revocation endpoint (RFC 7009).
    package var revocationPath = OAuthEndpoints.revocationPath
    /// Path of the introspection endpoint (RFC 7662).
    package var introspectionPath = OAuthEndpoints.introspectionPath
    package var signer: JWTSigner
    /// The keys of everything that this gateway signs: the service's own and those of issuers. Secrets among them are
    /// not shown.
    package var publishedKeys: KeySet
    package var users: UserStore
    /// Who holds back those who guess passwords.
    package var throttle = LoginThrottle()
    /// Who holds back those who guess the secrets of clients.
    package var clientThrottle = ClientThrottle()
    package var backends: BackendStore
    package var catalogue: RoleCatalogue
    /// Lifetime of a token without a user (OAUTH-02).
    package var clientTokenSeconds: Int64 = 604_800
    /// Lifetime of a token of the password grant (CON-09).
    package var userTokenSeconds: Int64 = 604_800
    /// How far in the future `iat` of its own tokens may lie, which a sibling with another clock has issued.
    package var clockSkewSeconds: Int64 = 5
    /// The scopes that may be granted. Empty: scopes mean nothing here, any is accepted and none is recorded.
    package var scopes: [String] = []
    /// The applications of ApiOmat, whose users have a realm; nil where there are none.
    package var applications: ApplicationStore?
    /// Where browsers get tokens by single sign-on; nil where no backend has it.
    package var signOnPath: String?
    /// Where SAML assertions are exchanged; nil where they are not.
    package var samlPath: String?

    /// Whose tokens are exchanged, and by which rules; nil for nobody's.
    package var assertions: AssertionSources?
    /// Who may ask about tokens beside backends.
    package var resourceServers: [ResourceServer] = []
    /// What makes the tokens of backends that name it, by name (OAUTH-09).
    package var grantIssuers: [String: any GrantIssuer] = [:]
    /// What the data plane refuses tokens by.
    package var revocations: RevocationList
    /// Where refresh tokens are kept, and what may be used only once.
    package var store: any TokenStore
    /// What the store knows tokens by.
    package var storeKey: TokenDigestKey

    package init(
        issuer: String, audience: [String], baseURL: String, signer: JWTSigner, publishedKeys: KeySet,
        users: UserStore, backends: BackendStore, catalogue: RoleCatalogue, revocations: RevocationList,
        store: any TokenStore, storeKey: TokenDigestKey
    ) {
        self.issuer = issuer
        self.audience = audience
        self.baseURL = baseURL
        self.signer = signer
        self.publishedKeys = publishedKeys
        self.users = users
        self.backends = backends
        self.catalogue = catalogue
        self.revocations = revocations
        self.store = store
        self.storeKey = storeKey
    }
}
