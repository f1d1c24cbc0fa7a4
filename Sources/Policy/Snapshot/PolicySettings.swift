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
    package var webgates: [WebgateSettings] = []
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

package struct WebgateSettings: Sendable {
    package var name: String
    package var level: Int
    /// How its users log in; nil where nothing is said (SCH-01).
    package var scheme: AuthenticationScheme?
    /// Values of `userDefinedParameters.User-Agent`.
    package var userAgents: [String] = []
    package var mismatch: UserAgentMismatch?
    package var injection: InjectionRule?

    package init(name: String, level: Int) {
        self.name = name
        self.level = level
    }
}

/// Role names as a route names them.
package struct RoleSettings: Sendable {
    package var any: [String]?
    package var all: [String]
    package var none: [String]

    package init(any: [String]? = nil, all: [String] = [], none: [String] = []) {
        self.any = any
        self.all = all
        self.none = none
    }
}

package struct RouteSettings: Sendable {
    package var name: String
    /// Each once; none for every host.
    package var hosts: [HostPattern] = []
    package var path: PathPattern
    /// Names of methods; nil for all.
    package var methods: [String]?
    /// Roles that every method needs that `methodRoles` does not name.
    package var roles = RoleSettings()
    package var methodRoles: [String: RoleSettings] = [:]
    package var upstream: Int
    /// The `mobileBackendId`s whose credentials are accepted; empty for all.
    package var backends: [String] = []
    /// Name of the Webgate.
    package var webgate: String?
    package var isPublic = false
    package var loginRequired = true
    package var socialLogin = false
    package var level: Int?
    /// How the route's users log in, in the place of the Webgate's (SCH-03).
    package var scheme: AuthenticationScheme?
    /// The application whose tokens open the route; nil for a route that takes none of them (AOM-16).
    package var application: Application?
    package var allowOrigin: AllowOriginPolicy?
    package var injection: InjectionRule?
    /// How the Webgate that the upstream is behind is answered; nil where it is behind none (CACHE-08).
    package var challengeRule: UpstreamChallengeRule?
    package var forwardCredential = false
    /// What is asked of the client's certificate; nil for nothing.
    package var certificateRule: CertificateRule?
    /// Whether the upstream is told what the certificate says.
    package var forwardsCertificate = false
    package var maximumBodyBytes: Int?
    package var responseTimeoutMilliseconds: Int?
    /// Protocols that a connection may change to (RFC 9110 section 7.8), compared without case. `h2c` is never among
    /// them: it would carry requests past every decision.
    package var upgrades = ["websocket"]

    package init(name: String, path: PathPattern, upstream: Int) {
        self.name = name
        self.path = path
        self.upstream = upstream
    }

    var methodSet: MethodSet { methods.map { MethodSet($0) } ?? .any }
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
