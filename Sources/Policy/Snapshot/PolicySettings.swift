import Identity
import JOSE
import Model
import Outbound

/// The values for a `PolicySnapshot`: the checked configuration with its references resolved.
package struct PolicySettings: Sendable {
    /// For caches: results verified under another generation are not used.
    package var generation: UInt64 = 1
    /// `baseUrl` and `additionalBaseUrls`, in this order.
    package var ownOrigins: [WebOrigin] = []
    /// The policy `Security_AllowOrigin`.
    package var allowOrigin = AllowOriginPolicy.disallow
    /// Origins whose pages may call endpoints besides those, for some client each.
    package var clientOrigins: [AllowOriginPolicy] = []
    package var cors = CORSSettings()
    package var roles = RoleCatalogue([])
    /// How errors are answered where the route says nothing of them.
    package var errors = ErrorRules()
    package var routes: [ResolvedRoute] = []
    /// Paths of the enabled endpoints.
    package var endpoints: [(path: String, endpoint: EndpointDescriptor)] = []
    package var issuers: [IssuerSettings] = []
    /// Issuers whose tokens are introspected (RFC 7662).
    package var introspectedIssuers: [IntrospectedIssuerSettings] = []
    /// Servers that are asked about requests.
    package var policyServers: [PolicyAsker] = []
    /// Key removals of issuers that publish their keys; nil without such issuers.
    package var keyEpoch: KeyEpoch?
    package var clients: Clients
    package var users: UserStore
    /// What other gateways have withdrawn; nil where there are none.
    package var withdrawn: WithdrawnAccounts?
    /// Those who call with API keys.
    package var consumers: [Consumer] = []
    package var revocations: RevocationList
    package var challenges: ChallengeIssuer
    /// Limits failed logins.
    package var throttle = LoginThrottle()
    /// Checks cached passwords again.
    package var background = BackgroundEffects()
    /// How long a verified password is cached (BASIC-05); 0 for not at all.
    package var passwordCacheSeconds: Int64 = 60
    /// Verifiers of the passwords of authenticators, by the name of their issuer.
    package var passwordVerifiers: [String: any PasswordVerifier] = [:]
    /// Level of a verified password (CHAL-06).
    package var passwordLevel = Principal.standardLevel
    /// Resolves tokens of applications; nil without applications.
    package var opaqueTokens: (any OpaqueTokens)?
    /// Records of tokens issued by issuer modules; nil if no client has a module (OAUTH-09).
    package var grantedTokens: (any GrantedTokens)?
    /// What certain kinds of credentials are judged by, one of a type.
    package var credentials: [any CredentialSettings] = []
    /// Verifies tokens of social logins; nil if no client uses it.
    package var socialVerifier: (any SocialVerifier)?
    /// Last use of sessions; nil if no session has an idle timeout (OMS-09).
    package var activities: (any SessionActivities)?
    /// Seals of browser sessions; nil where browsers do not log in (SCH-02).
    package var seals: BrowserSeals?
    /// Accepted logins by browser, by the name of the service domain.
    package var browserDomains: [String: BrowserDomain] = [:]
    /// The realm of users who log in by browser at routes.
    package var loginRealm = ""
    /// Names of the identity providers whose users need an account.
    package var accountProviders: Set<String> = []
    /// Whether local users have their current roles instead of those of the token (ROLE-03).
    package var liveRoles = false

    /// What a kind of credential is judged by; nil where there is none.
    func settings<Settings: CredentialSettings>(_: Settings.Type) -> Settings? {
        credentials.lazy.compactMap { $0 as? Settings }.first
    }

    /// The claims and scopes that routes use.
    package var claims: ClaimSelection {
        let rules = routes.flatMap { [$0.options.requestFields, $0.options.responseFields].compactMap(\.self) }
        let accesses = routes.flatMap(\.entry.rules)
        let scopes = accesses.flatMap { $0.scopes.all + ($0.scopes.any ?? []) }
        let asking = accesses.filter(\.asksForLogin)
        let answers = errors.answers + routes.flatMap(\.options.errors.answers)
        var claims = rules.flatMap(\.claims) + answers.flatMap(\.claims) + accesses.flatMap(\.requiredClaims)
        claims += policyServers.flatMap { PolicyQuestion.scopeClaims + $0.server.rules.claims }
        claims += routes.flatMap(\.issuedClaims)
        return ClaimSelection(
            claims,
            userinfo: rules.contains(where: \.usesUserinfo)
                || answers.contains { FieldRules(set: $0.fields).usesUserinfo },
            scopes: RoleCatalogue(Set(scopes).sorted()),
            levels: asking.isEmpty ? nil : RoleCatalogue(Set(asking.flatMap(\.contexts)).sorted()))
    }

    /// Where routes without a list of their own look for tokens; nil for `Authorization: Bearer` alone. An issuer with places
    /// of its own is believed there and nowhere else.
    var tokenSources: TokenSources? {
        let ofIssuers =
            issuers.map { ($0.trust.name, $0.tokenSources) }
            + introspectedIssuers.map { ($0.introspector.server.name, $0.tokenSources) }
            + (consumers.isEmpty ? [] : [(Consumer.issuer, [.authorization, .header("X-API-Key", scheme: nil)])])
        let choosy = ofIssuers.filter { !$0.1.isEmpty }
        if choosy.isEmpty { return nil }
        var places: [TokenSource] = []
        for source in choosy.flatMap(\.1) where source != .authorization && !places.contains(source) {
            places.append(source)
        }
        let elsewhere = choosy.filter { !$0.1.contains(.authorization) }.map(\.0)
        return TokenSources(
            [(.authorization, .allBut(elsewhere))]
                + places.map { place in (place, .only(choosy.filter { $0.1.contains(place) }.map(\.0))) })
    }

    package init(clients: Clients, users: UserStore, revocations: RevocationList, challenges: ChallengeIssuer) {
        self.clients = clients
        self.users = users
        self.revocations = revocations
        self.challenges = challenges
    }
}

/// The accepted logins of a service domain. Cookies of a login that it no longer offers are refused.
package struct BrowserDomain: Sendable {
    /// Names of its identity providers (RP-01).
    package var providers: [String] = []
    /// Whether its users may log in by password.
    package var takesPasswords = true
    /// The class of a login by password (CACHE-11).
    package var passwordLogin = LoginClass.password()
    /// Roles of users that only another server knows (OMS-12); nil if they are refused.
    package var guestRoles: [String]?

    package init() {}
}

/// A trusted issuer and the interpretation of its claims.
package struct IssuerSettings: Sendable {
    package enum Claims: Sendable {
        /// Claims that the gateway wrote (ISS-02).
        case own
        /// Claims of another issuer, which the rules map to a user.
        ///
        /// - Parameters:
        ///   - level: of its tokens (CHAL-06).
        ///   - backendID: the client that its tokens are bound to; nil for none.
        case outside(ExternalIdentityRules, level: Int, backendID: String?)
    }

    package var trust: TrustedIssuer
    package var claims: Claims
    /// The authentication context level that each value of `amr` in its tokens stands for.
    package var levelsByMethod: [String: String] = [:]
    /// Where its tokens are; empty for `Authorization: Bearer` and what routes say.
    package var tokenSources: [TokenSource] = []
    /// Whether tokens that are bound to no key or certificate are refused.
    package var requiresProof = false
    /// Those of its audiences that are resources: a token with no other one opens these alone (RFC 8707).
    package var resources: [String] = []

    /// Whether it is the token service of the gateway itself.
    var isOwn: Bool { if case .own = claims { true } else { false } }

    package init(trust: TrustedIssuer, claims: Claims) {
        self.trust = trust
        self.claims = claims
    }
}

/// What a kind of credential is judged by, beside what all kinds are.
package protocol CredentialSettings: Sendable {}
