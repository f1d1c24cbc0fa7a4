import Bytes
import Identity
import Model
import TokenStorage

/// Settings of the token service. Immutable; a reload builds another service.
package struct TokenServiceSettings: Sendable {
    /// `iss` of its tokens and base of its URLs in the metadata, without a trailing slash.
    package var issuer: String
    /// `aud` of its tokens.
    package var audience: [String]
    /// The gateway's base URL, without a trailing slash.
    package var baseURL: String
    package var paths = EndpointPaths.standard
    package var terms = AccessTokenTerms()
    package var keys: ServiceKeys
    package var users: UserStore
    /// Limits password guessing.
    package var throttle = LoginThrottle()
    /// Limits guessing of the codes that devices show.
    package var deviceThrottle = LoginThrottle(DeviceLogins.limits)
    /// Limits how many logins public clients begin for devices.
    package var deviceBeginThrottle = LoginThrottle(DeviceLogins.beginLimits)
    /// How clients register themselves; nil where they do not.
    package var registration: RegistrationSettings?
    /// Limits guessing of client secrets.
    package var clientThrottle = ClientThrottle()
    package var clients: Clients
    package var catalogue: RoleCatalogue
    /// The applications, whose users have a realm; nil for none.
    package var applications: ApplicationStore?
    /// What clients may limit its tokens to.
    package var resources = ResourceIndicators()
    /// What its tokens are bound to.
    package var possession = ClientPossession(ProofVerifier(), origins: [])
    /// Path of the single sign-on endpoint; nil if no client uses it.
    package var signOnPath: String?
    /// Tags of the languages of pages, for `ui_locales`.
    package var pageLanguages: [String] = []
    /// Path of the SAML exchange; nil if not used.
    package var samlPath: String?

    /// Issuers whose tokens are exchanged, with their rules; nil for none.
    package var assertions: AssertionSources?
    /// Issuers of the identity assertions that the token endpoint takes; nil for none.
    package var identityAssertions: IdentityAssertions?
    /// Callers besides clients that may introspect tokens.
    package var resourceServers: [ResourceServer] = []
    /// Issuers of the tokens of clients that name them, by name (OAUTH-09).
    package var grantIssuers: [String: any GrantIssuer] = [:]
    /// The deny list, shared with the data plane.
    package var revocations: RevocationList
    /// Stores refresh tokens and single-use keys.
    package var store: any TokenStore
    /// Key of the digests in the store.
    package var storeKey: TokenDigestKey
    /// Runs work when a second since 1970 has begun, which is a minute ahead at most.
    package var later: @Sendable (Int64, @escaping @Sendable () -> Void) -> Void = { _, _ in }
    /// Tells refreshes at once from the reuse of a token; nil where the store alone does.
    package var raceClock: RaceClock?
    /// Names of the identity providers whose users need an account.
    package var accountProviders: Set<String> = []

    package init(
        issuer: String, audience: [String], baseURL: String, keys: ServiceKeys,
        users: UserStore, clients: Clients, catalogue: RoleCatalogue, revocations: RevocationList,
        store: any TokenStore, storeKey: TokenDigestKey
    ) {
        self.issuer = issuer
        self.audience = audience
        self.baseURL = baseURL
        self.keys = keys
        self.users = users
        self.clients = clients
        self.catalogue = catalogue
        self.revocations = revocations
        self.store = store
        self.storeKey = storeKey
    }
}

extension TokenServiceSettings {
    /// Lifetime of a user's access token of this client, in seconds.
    func userSeconds(of client: Client) -> Int64 { client.grants.accessTokenSeconds ?? terms.userSeconds }

    /// The scopes of grants without a consent page.
    func plainScopes(of client: Client) -> [String] {
        guard let own = client.grants.scopes else { return terms.scopes }
        return terms.scopes.filter { scope in own.contains(where: scope.isExactly) }
    }

    /// The scopes that a refused request asks for, beside those that its client may have.
    package static func evidence(onScopes requested: String, allowed: [String]) -> [String] {
        ["scope \(Evidence.quoted(requested)), of the client \(Evidence.list(allowed))"]
    }
}
