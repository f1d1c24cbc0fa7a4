import Authorization
import Configuration
import Identity
import LoginPages
import Model
import OAuthServer
import Policy

/// Logins by browser: the schemes of Webgates and the ways to log in by their forms.
struct LoginAssembly: AssemblyPart {
    let context: AssemblyContext

    /// The names under which clients reach the gateway.
    func publicNames() -> PublicNames {
        PublicNames(
            origins: configuration.origins,
            hosts: configuration.routes.flatMap(\.hosts))
    }

    /// The providers of these names, including the own form.
    func providers(_ names: [String]) -> [IdentityProviderEntry] {
        names.compactMap { name in configuration.allIdentityProviders.first { $0.name == name } }
    }

    var hasRelyingParties: Bool { configuration.endpointSettings.features.contains(.relyingParties) }

    private var hasLoginForms: Bool { configuration.authenticationSchemes.contains { $0.challengeMethod == .form } }

    /// Whether browsers log in for some client or route.
    var hasLogins: Bool { configuration.endpointSettings.features.contains(.logins) }

    /// The logins of browsers for clients and routes; nil where none has them.
    func flow(
        _ tokens: TokenService, _ store: RetainedStore.Opened, seals: BrowserSeals, providers: ProviderLogin
    ) -> LoginFlow? {
        guard hasLogins else { return nil }
        var settings = LoginFlow.Settings(seals: seals, sessions: store.sessions)
        settings.limits = limits(lifetime: nil, idleTimeout: nil)
        for login in configuration.routes.compactMap(\.login) {
            for name in login.ways {
                let choice = choice(named: name)
                settings.limitsByProvider[choice.provider] = limits(
                    lifetime: login.lifetime, idleTimeout: login.idleTimeout)
                if !settings.routeChoices.contains(choice) { settings.routeChoices.append(choice) }
            }
        }
        let claims = SessionClaims(configuration)
        for entry in configuration.identityProviders {
            settings.claimsByProvider[LoginChoice(entry).provider] = KeptClaims(
                claims.kept(at: entry.name), needed: claims.wanted(at: entry.name))
        }
        settings.realm = RouteLogins.realm(configuration)
        for family in retained.families { family.prepare(&settings, tokens: tokens, context) }
        return LoginFlow(service: tokens, settings: settings, providers: providers)
    }

    private func limits(lifetime: Duration?, idleTimeout: Duration?) -> LoginFlow.Limits {
        let idle = (idleTimeout ?? configuration.sessions.idleTimeout).components.seconds
        return LoginFlow.Limits(
            session: (lifetime ?? configuration.sessions.lifetime).components.seconds, idle: idle == 0 ? nil : idle)
    }

    /// The way to log in of this name.
    func choice(named name: String) -> LoginChoice {
        let entry = configuration.identityProviders.first { $0.name == name }
        return entry.map(LoginChoice.init) ?? LoginChoice(LoginChoice.ownForm, name: name)
    }

    /// How browsers log in at a route.
    func login(_ entry: RouteLoginEntry) -> RouteLogin {
        RouteLogin(
            path: configuration.tokenService.paths[.login],
            ways: entry.ways.map { name in
                let choice = choice(named: name)
                return RouteLogin.Way(name: name, choice.isOwnForm ? .password() : .provider(choice.provider))
            })
    }

    /// What decides on the sessions of browsers.
    func add(to settings: inout PolicySettings, _ seals: BrowserSeals) {
        settings.seals = hasLoginForms || hasLogins || hasRelyingParties ? seals : nil
        settings.browserDomains = browserDomains()
        settings.loginRealm = RouteLogins.realm(configuration)
        settings.accountProviders = configuration.allIdentityProviders.requiringAccounts
    }

    /// Where users of pages start: the root, or if no route has it, where the first route with a login begins; nil without a
    /// route that they can get.
    func startPage() -> String? {
        let pages = configuration.routes.filter { route in
            route.methods.isEmpty || route.methods.contains { $0.method == "GET" }
        }
        if pages.contains(where: { ["/", "/**"].contains($0.path.form) }) { return "/" }
        return (pages.first { $0.login != nil || $0.webgate != nil } ?? pages.first)?.path.start
    }

    /// The accepted logins by browser, by domain.
    private func browserDomains() -> [String: BrowserDomain] {
        let domains = configuration.loginDomains.map { entry in
            let ways = providers(entry.providers)
            var domain = BrowserDomain()
            domain.providers = ways.filter { $0.kind != .local }.map(\.name)
            domain.takesPasswords = ways.isEmpty || domain.providers.count < ways.count
            domain.passwordLogin = .password(issuer: entry.passwordIssuer)
            domain.guestRoles = entry.guestRoles
            return (entry.name, domain)
        }
        return Dictionary(uniqueKeysWithValues: domains)
    }

    func scheme(named name: String) -> AuthenticationSchemeEntry? {
        configuration.authenticationSchemes.first { $0.name == name }
    }

    func scheme(_ entry: AuthenticationSchemeEntry) -> AuthenticationScheme {
        var scheme = AuthenticationScheme(
            name: entry.name, level: entry.level, method: entry.challengeMethod, formTarget: entry.formTarget)
        if let client = configuration.domain(ofForm: entry)?.client,
            let realm = configuration.clients.first(where: { $0.client.reference == client })?.client.realm
        {
            scheme.clients = configuration.clients.map(\.client).filter { $0.realm == realm }.map(\.id)
        }
        scheme.logins = ways(ofForm: entry)
        scheme.challenges = entry.challenges
        return scheme
    }

    /// How users log in by the form of a scheme; empty for a scheme without one.
    func ways(ofForm scheme: AuthenticationSchemeEntry) -> [LoginClass] {
        guard let domain = configuration.domain(ofForm: scheme) else { return [] }
        let password = LoginClass.password(issuer: domain.passwordIssuer)
        let ways = providers(domain.providers)
        return ways.isEmpty ? [password] : ways.map { $0.kind == .local ? password : .provider($0.name) }
    }
}

extension PathPattern {
    /// What comes before the first segment that any path may have.
    fileprivate var start: String {
        guard let end = form.firstIndex(of: "*") else { return text }
        return String(form[..<end])
    }
}
