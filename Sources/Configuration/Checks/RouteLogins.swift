import Model

/// Adds what the logins of routes stand for to a configuration, so that they are logins like any other.
struct RouteLogins {
    private let findings: Findings
    /// The login of each provider with the limits of all routes, and the route that named it first.
    private var logins: [(login: RouteLogin, index: Int)] = []

    /// Runs after the other sections are complete, and before the checks of routes.
    static func add(to configuration: inout GatewayConfiguration, _ findings: Findings) {
        var logins = RouteLogins(findings: findings)
        for (index, route) in configuration.routes.enumerated() {
            guard let login = route.login else { continue }
            logins.check(route, at: index, configuration)
            logins.join(login, at: index)
        }
        logins.add(to: &configuration)
    }

    private init(findings: Findings) { self.findings = findings }

    /// Reports what excludes a login by browser, or contradicts this one.
    private func check(_ route: RouteEntry, at index: Int, _ configuration: GatewayConfiguration) {
        let obstacle: (String, String)? =
            if route.access.isPublic && route.methods.allSatisfy(\.access.isPublic) {
                ("a public route has no caller", "no \"login\" here")
            } else if route.access.socialLogin {
                ("a login at a provider is no social login", "no \"socialLogin\" beside it")
            } else if route.application != nil {
                ("users of an application log in by themselves", "no \"application\" beside it")
            } else if route.authenticationScheme != nil {
                ("an authentication scheme has a login of its own", "no \"authenticationScheme\" beside it")
            } else if route.webgate != nil {
                ("a webgate has a login of its own", "no \"webgate\" beside it")
            } else if configuration.identityProviders.first(where: { $0.name == route.login?.provider })?.kind
                == .local
            {
                (
                    "the gateway's own form needs a service domain",
                    "a provider of another kind, or \"authenticationScheme\""
                )
            } else {
                nil
            }
        guard let (message, expected) = obstacle else { return }
        findings.error("/routes/\(index)/login", message, expected: expected)
    }

    /// Browsers have one session for a provider, so that its limits cannot differ by route.
    private mutating func join(_ login: RouteLogin, at index: Int) {
        guard let place = logins.firstIndex(where: { $0.login.provider == login.provider }) else {
            return logins.append((login, index))
        }
        func joint(_ known: Duration?, _ own: Duration?, _ name: String) -> Duration? {
            if let known, let own, known != own {
                findings.error(
                    "/routes/\(index)/login/\(name)",
                    "another route says otherwise of the sessions of \"\(login.provider)\"",
                    expected: "one \"\(name)\" for a provider")
            }
            return known ?? own
        }
        let known = logins[place].login
        logins[place].login.lifetime = joint(known.lifetime, login.lifetime, "sessionLifetime")
        logins[place].login.idleTimeout = joint(known.idleTimeout, login.idleTimeout, "idleTimeout")
    }

    private func add(to configuration: inout GatewayConfiguration) {
        let realms = configuration.realms ?? []
        let standard = "Default"
        let realm = realms.isEmpty || realms.contains(standard) ? standard : realms[0]
        for (login, _) in logins {
            configuration.authenticationSchemes.append(login.scheme)
            configuration.serviceDomains.append(login.domain)
            configuration.backends.append(login.backend(realm: realm))
        }
        for index in configuration.routes.indices {
            guard let login = configuration.routes[index].login,
                let joint = logins.first(where: { $0.login.provider == login.provider })?.login
            else { continue }
            configuration.routes[index].login = joint
            configuration.routes[index].authenticationScheme = joint.name
            if !configuration.routes[index].backends.isEmpty {
                configuration.routes[index].backends.append(joint.backend)
            }
        }
    }
}
