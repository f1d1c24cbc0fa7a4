import Bytes
import Crypto
import HTTP
import Identity
import Model

/// Whose Basic credentials are that name no client.
enum PasswordOwner {
    /// A user of an application, which shows its key beside them.
    case application(Application)
    /// A user of the client with this id, or of the default client. A Basic challenge tells of no client, so that the only one
    /// of a route with such a challenge counts, too (SCH-01).
    case client([UInt8]?)
    /// A user of the login realm where there is no mobile backend: the route asks for Basic, and names no client.
    case users

    /// - Parameter asksPasswords: whether the route asks for Basic.
    init(_ route: ResolvedRoute, asksPasswords: Bool) {
        if let application = route.application, application.httpBasic {
            self = .application(application)
        } else if let id = route.defaultBackend {
            self = .client(Array(id.utf8))
        } else if asksPasswords, route.clients.isEmpty, route.application == nil {
            self = .users
        } else {
            self = .client(asksPasswords && route.clients.count == 1 ? Array(route.clients[0].utf8) : nil)
        }
    }
}

/// A part of the API: its requests, requirements and upstream. Immutable and shared by all workers.
package final class Route: Sendable {
    /// Position in the configuration; dense, so that counters can be an array.
    package let index: Int
    /// As it is configured, for one group of methods.
    package let entry: RouteEntry
    package let methods: MethodSet
    /// Index of the upstream; of no meaning where the route answers by itself.
    package let upstream: Int
    /// The steps that a decision about its requests takes.
    let steps: Decision.Steps
    /// Rewriting of the forwarded path; nil for none.
    package let rewrite: PathRewrite?
    /// `Host` of forwarded requests; empty for the client's.
    package let host: [UInt8]
    /// Additional request fields for the upstream; nil for none.
    package let requestFields: RouteFields?
    /// Additional response fields for the client; nil for none.
    package let responseFields: RouteFields?
    /// How the gateway's own errors are answered; nil for the usual form.
    package let errors: ErrorAnswers?
    /// Ids of the clients whose credentials are accepted; empty for all (ISS-07).
    package let clients: [[UInt8]]
    /// Name and key of the application whose tokens alone are accepted; empty for none (AOM-16).
    package let applicationName: [UInt8]
    let applicationKey: [UInt8]
    /// Whose Basic credentials without the id of a client are.
    let passwordOwner: PasswordOwner
    package let webgate: Webgate?
    /// Whether no credential is required or checked (ROLE-02, AMB-20).
    package let isPublic: Bool
    /// Whether the caller must be a user, not a client or the anonymous key (ROLE-02).
    package let loginRequired: Bool
    /// The minimum level of a credential (CHAL-06).
    ///
    /// The level of the route itself, otherwise that of its Webgate. If no login is required, a Webgate's level, which
    /// concerns logins, does not apply.
    package let level: Int
    /// The level in the challenge.
    package let challengeLevel: Int
    /// How users log in: the route's own scheme, otherwise that of its Webgate (SCH-03).
    package let scheme: AuthenticationScheme?
    /// Whether the scheme requires name and password by Basic (SCH-01).
    var takesPasswords: Bool { scheme?.method == .basic }
    /// How browsers log in; nil if the route accepts no sessions (SCH-02).
    let login: LoginRule?
    /// Where tokens are; nil for `Authorization: Bearer` alone.
    package let tokenSources: TokenSources?
    /// Whether responses depend on cookies, for `Vary`.
    package var takesCookies: Bool { login != nil || tokenSources?.cookies.isEmpty == false }
    /// The kinds of credentials that count; nil for all.
    let authenticators: AuthenticatorChain?
    /// Names of cookies that are not forwarded.
    package let ownCookies: [[UInt8]]
    /// The gateway's, if the route has no origins or settings of its own.
    let cors: CORSPolicy
    /// The route's own rules, otherwise those of its Webgate. Their fields differ.
    package let injections: [InjectionRule]
    /// Whether the upstream gets the client's own credential (GW-09).
    package let passesCredential: Bool
    /// Requirement on client certificates, also for public routes; nil for none.
    package let certificateRule: CertificateRule?
    /// Whether the route needs the client's certificate.
    package let readsCertificate: Bool
    /// Rules about messages to an MCP server; nil where none are judged.
    package let messages: MessageRules?
    /// Names of the protocols that connections may upgrade to, as spelt in the configuration; never `h2c`. None where
    /// messages are judged: those in a tunnel are not.
    package let upgrades: [[UInt8]]
    /// The methods of all routes with this pattern and host, for `Allow`.
    package let allowedMethodsText: [UInt8]
    /// Those of them that pages of other origins may use, for `Access-Control-Allow-Methods`.
    let crossSiteMethodsText: [UInt8]
    let challenge: ChallengeText
    /// Nil where nothing is required of issuer, audience, scopes and claims.
    let tokenRequirement: TokenRequirement?
    /// Nil where nothing is required of the caller's login.
    let loginRequirement: LoginRequirement?
    /// Whether a token must be bound to a key or certificate of its client.
    package var requiresProof: Bool { entry.access.requiresProof }
    /// Whether requests without a credential are admitted, too.
    package var isOptional: Bool { entry.access.isOptional }

    /// Servers that must allow requests after every other rule does.
    package let policyServers: PolicyServers

    /// The same route with the rule on trial; nil for none. It has only the policy servers that this one lacks.
    package let trial: Route?

    private let requirement: RoleRequirement
    private let methodRequirements: [MethodRequirement]

    struct MethodRequirement: Sendable {
        let method: Method
        let text: [UInt8]
        let requirement: RoleRequirement

        init(_ entry: MethodEntry, _ roles: RoleCatalogue) {
            let text = Array(entry.method.utf8)
            (self.text, method) = (text, Method(text.span))
            requirement = RoleRequirement(entry.access.roles, roles)
        }
    }

    /// - Parameters:
    ///   - origins: for a route without a list or settings of its own.
    ///   - allowedMethods: those of all routes of this pattern and host.
    ///   - tokenSources: for a route without a list of its own; nil for `Authorization: Bearer` alone.
    init(
        _ route: ResolvedRoute, index: Int, origins: RouteOrigins, roles: RoleCatalogue,
        allowedMethods: MethodSet, claims: ClaimSelection, errors: ErrorAnswers?, tokenSources: TokenSources?,
        authenticators: AuthenticatorChain?, policyServers: [PolicyAsker], hasSessionCookies: Bool
    ) {
        entry = route.entry
        let (access, options, webgate) = (entry.access, entry.options, route.webgate)
        (self.index, upstream, methods) = (index, route.upstream, route.methodSet)
        rewrite = route.rewrite == .identity ? nil : route.rewrite
        host = Array(route.host.utf8)
        requestFields = RouteFields(options.sentFields, claims)
        responseFields = RouteFields(options.responseFields, claims)
        clients = route.clients.map { Array($0.utf8) }
        applicationName = Array((route.application?.name ?? "").utf8)
        applicationKey = Array((route.application?.apiKey ?? "").utf8)
        (self.errors, self.webgate, isPublic) = (errors, webgate, access.isPublic)
        loginRequired = access.loginRequired && !access.isPublic
        // SCH-03: the route's level precedes its scheme's, and both precede the Webgate's.
        let ownLevel = access.level ?? route.scheme?.level
        challengeLevel = ownLevel ?? webgate?.level ?? 0
        level = ownLevel ?? (access.loginRequired ? challengeLevel : 0)
        scheme = route.scheme ?? webgate?.scheme
        passwordOwner = PasswordOwner(
            route, asksPasswords: scheme?.method == .basic || authenticators?.lists(.basic) == true)
        self.authenticators = authenticators
        let takesSessions = !access.isPublic && authenticators?.lists(.session) != false
        login = takesSessions ? LoginRule(route.login, scheme: scheme, of: webgate) : nil
        cors = origins.policy(options)
        injections = route.injections.isEmpty ? webgate?.injections ?? [] : route.injections
        passesCredential = options.forwardsCredential && !injections.contains(where: \.replacesCredential)
        certificateRule = access.clientCertificate.map { CertificateRule($0) }
        readsCertificate =
            access.clientCertificate != nil || options.certificateForwarding != nil || options.takesCertificates
        steps = Decision.Steps(entry, readsCertificate: readsCertificate)
        messages = options.mcp.map { MessageRules($0, roles: roles, claims: claims) }
        upgrades = (messages == nil ? options.upgrades : []).filter { $0.lowercased() != "h2c" }.map { Array($0.utf8) }
        allowedMethodsText = allowedMethods.text
        crossSiteMethodsText = cors.methods.map { allowedMethods.intersection($0).text } ?? allowedMethodsText
        tokenRequirement = TokenRequirement(access, claims)
        loginRequirement = LoginRequirement(access, claims)
        challenge = ChallengeText(
            webgate: webgate, level: challengeLevel, scopes: access.scopes,
            login: loginRequirement?.challenge ?? [], resources: route.resources, own: scheme?.challenges ?? [])
        self.tokenSources = TokenSources.with(
            fieldsOf: authenticators,
            options.tokenSources.map { TokenSources($0.map { ($0, .all) }) } ?? tokenSources)
        let tokenCookies = options.forwardsCredential ? [] : self.tokenSources?.cookies ?? []
        ownCookies = (hasSessionCookies ? BrowserCookie.names : []) + tokenCookies
        self.policyServers = PolicyServers(access.policyServers, of: policyServers, claims)
        trial = route.onTrial.map {
            Route(
                $0, index: index, origins: origins, roles: roles, allowedMethods: allowedMethods, claims: claims,
                errors: errors, tokenSources: tokenSources, authenticators: authenticators,
                policyServers: policyServers.filter { !access.policyServers.contains($0.server.name) },
                hasSessionCookies: hasSessionCookies)
        }
        requirement = RoleRequirement(access.roles, roles)
        methodRequirements = entry.methods.map { MethodRequirement($0, roles) }
    }

    package var name: String { entry.name }
    package var pattern: PathPattern { entry.path }
    /// Empty for any host.
    package var hosts: [HostPattern] { entry.hosts }
    /// What requests have beside method, host and path.
    package var conditions: RouteConditions { entry.conditions }

    /// The roles required for a method: those of the method, otherwise those of the route. `HEAD` requires the same as
    /// `GET`, since it reveals the same.
    ///
    /// - Parameter text: name of the method, used for `.extension` only.
    package func requirement(for method: Method, _ text: Span<UInt8>) -> RoleRequirement {
        if methodRequirements.isEmpty { return requirement }
        for i in methodRequirements.indices where methodRequirements[i].method == method {
            if method != .extension || equal(methodRequirements[i].text, text) {
                return methodRequirements[i].requirement
            }
        }
        return method == .head ? requirement(for: .get, text) : requirement
    }

    /// Seconds since 1970 from which on the credential of an admitted caller no longer counts here: it expires, or the login
    /// is too old; `.max` for never.
    package func end(of principal: Principal) -> Int64 {
        min(
            principal.expiresAt ?? .max, principal.consumer?.expiresAt ?? .max,
            loginRequirement?.end(principal) ?? .max)
    }

    /// The protocol of this name as spelt in the configuration; nil if connections must not upgrade to it.
    package func upgrade(named name: Span<UInt8>) -> [UInt8]? {
        for i in upgrades.indices where equalIgnoringCase(upgrades[i], name) { return upgrades[i] }
        return nil
    }

    /// Whether credentials of this client are accepted (ISS-07).
    ///
    /// - Parameter id: empty for a credential without a client, which is accepted only on routes without clients.
    func accepts(client id: [UInt8]) -> Bool {
        if clients.isEmpty { return true }
        for i in clients.indices where equal(clients[i], id.span) { return true }
        return false
    }

    /// Whether a credential that is bound to a Webgate is accepted: only on that Webgate's routes (DEC-06).
    ///
    /// - Parameter name: empty for an unbound credential, which every route accepts.
    func accepts(webgate name: [UInt8]) -> Bool {
        name.isEmpty || equal(challenge.webgateName, name.span)
    }

    /// AOM-16: routes of an application require its key in addition to the credential; nil if it was sent.
    func refusesKey(bytes: Span<UInt8>, headers: HeaderTable) -> Reason? {
        if applicationKey.isEmpty { return nil }
        guard headers.occurrences(.applicationKey) == 1, let field = headers.value(.applicationKey) else {
            return .missingApplicationKey
        }
        let key = applicationKey
        return constantTimeEqual(key.span, bytes.slice(field)) ? nil : .applicationMismatch
    }

    /// Whether the tokens of an application are accepted; for an empty name, credentials without an application
    /// (AOM-16).
    func accepts(application name: [UInt8]) -> Bool {
        if name.isEmpty && applicationName.isEmpty { return true }
        return equal(applicationName, name.span)
    }
}
