import Bytes
import HTTP
import Identity
import JOSE
import Model

/// The plain values that a `PolicySnapshot` is built from: what the configuration says, with references to other rooms
/// already resolved to indices.
package struct PolicySettings: Sendable {
    /// Told apart by caches: a snapshot of another generation trusts nothing that an earlier one has verified.
    package var generation: UInt64 = 1
    /// `baseUrl` and `additionalBaseUrls`, in this order.
    package var ownOrigins: [WebOrigin] = []
    /// The policy `Security_AllowOrigin`.
    package var allowOrigin = AllowOriginPolicy.disallow
    package var cors = CORSSettings()
    package var roles = RoleCatalogue([])
    package var routes: [RouteSettings] = []
    /// Paths of the endpoints that are switched on.
    package var endpoints: [(path: String, endpoint: EndpointDescriptor)] = []
    package var issuers: [IssuerSettings] = []
    /// Issuers whose tokens their servers are asked about (RFC 7662).
    package var introspectedIssuers: [IntrospectedIssuerSettings] = []
    /// Of the issuers that publish their keys; nil where none does.
    package var keyEpoch: KeyEpoch?
    package var backends: BackendStore
    package var users: UserStore
    package var revocations: RevocationList
    package var challenges: ChallengeIssuer
    /// Who holds back those who guess passwords.
    package var throttle = LoginThrottle()
    /// How long a password that was right is not hashed again (BASIC-05); 0 for not at all.
    package var passwordCacheSeconds: Int64 = 60
    /// Level that a checked password is worth (CHAL-06).
    package var passwordLevel = Principal.standardLevel
    /// Whoever knows the tokens of ApiOmat applications; nil where there are none.
    package var opaqueTokens: (any OpaqueTokens)?
    /// Whoever knows the tokens that issuer modules have made; nil where no backend has one (OAUTH-09).
    package var grantedTokens: (any GrantedTokens)?
    /// Whoever asks Facebook; nil where no backend has it.
    package var socialVerifier: SocialVerifier?
    /// Who knows when sessions were used last; nil where none ends by lying idle (OMS-09).
    package var activities: (any SessionActivities)?
    /// What browsers are let in by; nil where no scheme has a form (SCH-02).
    package var seals: BrowserSeals?
    /// Whose logins by browser count, by the name of the service domain.
    package var browserDomains: [String: BrowserDomain] = [:]
    /// Whether tokens of local users carry the roles of the user as of now instead of their own (ROLE-03).
    package var liveRoles = false

    package init(backends: BackendStore, users: UserStore, revocations: RevocationList, challenges: ChallengeIssuer) {
        self.backends = backends
        self.users = users
        self.revocations = revocations
        self.challenges = challenges
    }
}

/// What the cookies go by that were given at a service domain: a way to log in that it has no more lets nobody in.
package struct BrowserDomain: Sendable {
    /// Names of the identity providers that vouch for its users (RP-01).
    package var providers: [String] = []
    /// Whether its users may log in by password.
    package var takesPasswords = true
    /// What a login by password counts as (CACHE-11).
    package var passwordLogin = LoginClass.password()
    /// Roles of those whom another server alone knows (OMS-12); nil where they are not let in.
    package var guestRoles: [String]?

    package init() {}
}

/// A route with its references resolved. Several may come from one entry of the configuration, for its methods.
package struct RouteSettings: Sendable {
    package var name: String
    /// Each once; empty for any host.
    package var hosts: [HostPattern] = []
    package var path: PathPattern
    /// Names of methods; nil for all.
    package var methods: [String]?
    package var access = AccessRule()
    /// Roles by method, in the place of those of `access`.
    package var methodRoles: [String: RoleNames] = [:]
    /// Index of the upstream.
    package var upstream: Int
    /// The `mobileBackendId`s whose credentials are accepted; empty for all.
    package var backends: [String] = []
    package var webgate: Webgate?
    /// How the route's users log in, instead of the Webgate's scheme (SCH-03).
    package var scheme: AuthenticationScheme?
    /// The application whose tokens open the route; nil for a route that accepts none of them (AOM-16).
    package var application: Application?
    package var injection: InjectionRule?
    package var options = RouteOptions()

    package init(name: String, path: PathPattern, upstream: Int) {
        self.name = name
        self.path = path
        self.upstream = upstream
    }
}

/// An issuer whose tokens are believed, and what becomes of their claims.
package struct IssuerSettings: Sendable {
    package enum Claims: Sendable {
        /// The embedded issuer's own: the claims are those that the gateway wrote (ISS-02).
        case own
        /// Another's: the rules make a user of them.
        ///
        /// - Parameters:
        ///   - level: what a token of this issuer is worth (CHAL-06).
        ///   - backendID: the backend that its tokens count as made for; nil for none.
        case outside(ExternalIdentityRules, level: Int, backendID: String?)
    }

    package var trust: TrustedIssuer
    package var claims: Claims

    package init(trust: TrustedIssuer, claims: Claims) {
        self.trust = trust
        self.claims = claims
    }
}
