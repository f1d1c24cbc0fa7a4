/// A part of the API and its requirements, as they are configured.
package struct RouteEntry: Sendable {
    package var name: String
    /// Each once; empty for any host.
    package var hosts: [HostPattern] = []
    package var path: PathPattern
    /// Methods and their rules in the order of the file; empty for all methods.
    package var methods: [MethodEntry] = []
    package var conditions = RouteConditions()
    /// Empty where the route answers by itself.
    package var upstream = ""
    package var answer: RouteAnswer?
    package var webgate: String?
    /// Name of the scheme whose level the route requires, instead of the webgate's (SCH-03).
    package var authenticationScheme: String?
    /// How browsers log in, in place of a scheme.
    package var login: RouteLoginEntry?
    /// References of the clients of the route, from both sides of the association; empty for all.
    package var clients: [String] = []
    /// The client of Basic credentials that name none.
    package var defaultBackend: String?
    /// The application whose tokens the route accepts; nil for none.
    package var application: String?
    /// The rule of methods without one of their own.
    package var access = AccessRule()
    /// Empty for those of the webgate.
    package var injections: [InjectionEntry] = []
    package var options = RouteOptions()
    package var rateLimits: [RateLimitReference] = []
    /// Warnings about the route that the operator has accepted.
    package var acknowledged: [AcknowledgedWarning] = []

    package init(name: String, path: PathPattern) {
        self.name = name
        self.path = path
    }

    /// All rules about callers: of the route, its methods and its messages, with those on trial.
    package var rules: [AccessRule] {
        ([access] + methods.map(\.access)).flatMap(\.withTrial) + (options.mcp?.rules ?? [])
    }
}

/// One method of a route.
package struct MethodEntry: Sendable {
    package var method: String
    /// The rule of the route with the changes of the method.
    package var access: AccessRule

    package init(method: String, access: AccessRule) {
        self.method = method
        self.access = access
    }
}

/// How browsers log in at a route.
package struct RouteLoginEntry: Equatable, Sendable {
    /// Names of identity providers, among which users choose.
    package var ways: [String]
    /// Nil for the limit of another route with one of these providers, otherwise that of `sessions`.
    package var lifetime: Duration?
    /// Likewise; zero for no limit.
    package var idleTimeout: Duration?
    /// Those of the scopes `profile` and `email` (OpenID Connect Core section 5.4), and the usual ones with roles.
    package static let standardClaims = [
        "sub", "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile",
        "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at", "email", "email_verified",
        "groups", "roles",
    ].map(ClaimPath.init(literal:))

    /// Claims that sessions keep; nil for the usual ones. Those at a provider keep what any login with it names.
    package var claims: [ClaimPath]?
    /// Whether the provider's tokens may reach upstreams.
    package var passesTokens = false
    /// How often the provider is asked whether the login still holds; nil for never.
    package var recheck: Duration?

    package init(
        ways: [String], lifetime: Duration? = nil, idleTimeout: Duration? = nil, claims: [ClaimPath]? = nil
    ) {
        self.ways = ways
        self.claims = claims
        self.lifetime = lifetime
        self.idleTimeout = idleTimeout
    }
}

/// The token that is sent to the upstream (CACHE-04).
package struct InjectionEntry: Sendable {
    /// The name that stands for the provider's token of the login (`"from": "login"`). Names of issuers have no blanks.
    package static let login = "login provider"

    /// Name of an issuer, or `login`.
    package let issuer: String
    package let header: String
    /// Value of the field, with `{token}` once; nil for the authentication scheme of the upstream.
    package let format: String?
    /// Whether a request is retried with another token after a 401.
    package let retriesOnUnauthorized: Bool
    /// Where it stands in the configuration.
    package let pointer: String

    package init(issuer: String, header: String, format: String?, retriesOnUnauthorized: Bool, pointer: String) {
        self.issuer = issuer
        self.header = header
        self.format = format
        self.retriesOnUnauthorized = retriesOnUnauthorized
        self.pointer = pointer
    }
}

/// A warning that an operator may accept.
package enum AcknowledgedWarning: String, Sendable, CaseIterable {
    /// Another spelling of the path matches a wider route with weaker requirements.
    case weakerVariants = "weaker-variants"
    /// The gateway answers some paths of the route itself.
    case endpointsInside = "endpoints-inside"
    /// Users of several issuers may have the same name.
    case sharedNames = "shared-names"
}

extension RouteEntry {
    /// The rule of a method; nil if the route does not accept it. GET includes HEAD.
    package func access(of method: String) -> AccessRule? {
        guard !methods.isEmpty else { return access }
        return methods.first { $0.method == method }?.access
            ?? (method == "HEAD" ? methods.first { $0.method == "GET" }?.access : nil)
    }
}
