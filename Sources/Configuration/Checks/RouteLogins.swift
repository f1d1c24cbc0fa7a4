import Bytes
import Declaration
import Model

/// Checks of the logins of routes.
package struct RouteLogins {
    private let findings: Findings
    /// The limits of sessions that routes name, by provider.
    private var limits: [String: (lifetime: Duration?, idleTimeout: Duration?)] = [:]
    /// Whether it was said that the own form has no users.
    private var hasReportedForm = false

    /// Gives each login the limits that routes with the same provider name. Runs after the other sections are complete, and
    /// before the checks of routes.
    static func check(_ configuration: inout GatewayConfiguration, _ findings: Findings) {
        var logins = RouteLogins(findings: findings)
        for (index, route) in configuration.routes.enumerated() {
            guard let login = route.login else { continue }
            logins.check(login, of: route, at: index, configuration)
            logins.join(login, at: index)
            logins.checkClaims(of: route, at: index, configuration)
        }
        let sessions = configuration.sessions
        if findings.sources.node(of: "sessions")?["idleTimeout"] != nil {
            logins.compare(sessions.idleTimeout, with: sessions.lifetime, at: "/sessions/idleTimeout")
        }
        for index in configuration.routes.indices {
            guard let login = configuration.routes[index].login else { continue }
            let known = login.ways.compactMap { logins.limits[$0] }
            let lifetime = known.lazy.compactMap(\.lifetime).first
            configuration.routes[index].login?.lifetime = lifetime
            configuration.routes[index].login?.idleTimeout = known.lazy.compactMap(\.idleTimeout).first
            guard let idle = login.idleTimeout else { continue }
            logins.compare(idle, with: lifetime ?? sessions.lifetime, at: "/routes/\(index)/login/idleTimeout")
        }
    }

    /// Warns of a time without use that no session reaches.
    private func compare(_ idleTimeout: Duration, with lifetime: Duration, at pointer: String) {
        guard idleTimeout > lifetime else { return }
        findings.warning(
            pointer, "the timeout has no effect, since a session lasts \(JSONNode.duration(lifetime).string ?? "")",
            expected: "a shorter time, or \"0s\" for no limit")
    }

    /// The gateway's own form has an entry where its name is used without one. No other provider has this name.
    static func addOwnForm(to configuration: inout GatewayConfiguration, _ findings: Findings) {
        let name = IdentityProviderEntry.ownForm
        guard let entry = configuration.identityProviders.first(where: { $0.name == name }) else {
            guard findings.references.contains(where: { $0.kind == .identityProvider && $0.name == name }) else {
                return
            }
            return configuration.identityProviders.append(.ofOwnForm)
        }
        guard entry.kind != .local else { return }
        findings.error(
            JSONPointer.child(entry.pointer, "name"), "\"\(name)\" is the gateway's own form",
            expected: "another name, or \"kind\": \"local\"")
    }

    private init(findings: Findings) { self.findings = findings }

    /// Reports what excludes a login by browser, or contradicts this one.
    private mutating func check(
        _ login: RouteLoginEntry, of route: RouteEntry, at index: Int, _ configuration: GatewayConfiguration
    ) {
        let forms = configuration.identityProviders.filter { $0.kind == .local }.map(\.name)
        let lacksUsers =
            login.ways.contains(where: forms.contains) && configuration.users.isEmpty
            && findings.sources.isReadable("users")
        defer { hasReportedForm = hasReportedForm || lacksUsers }
        let obstacle: (String, String)? =
            if route.access.isPublic && route.methods.allSatisfy(\.access.isPublic) {
                ("a public route has no caller", "no \"login\" here")
            } else if route.access.socialLogin {
                ("a login at a provider is not a social login", "no \"socialLogin\" beside it")
            } else if route.application != nil {
                ("users of an application log in by themselves", "no \"application\" beside it")
            } else if route.authenticationScheme != nil {
                ("an authentication scheme has a login of its own", "no \"authenticationScheme\" beside it")
            } else if route.webgate != nil {
                ("a webgate has a login of its own", "no \"webgate\" beside it")
            } else if lacksUsers, !hasReportedForm {
                ("the gateway's own form has no users", "users in users.json, which `portcullis users add` adds")
            } else if login.ways.count(where: forms.contains) > 1 {
                ("the gateway has only one login form", "one provider of kind \"local\"")
            } else {
                nil
            }
        guard let (message, expected) = obstacle else { return }
        findings.error("/routes/\(index)/login", message, expected: expected)
    }

    /// Reports claims that a route looks at and its sessions do not keep. Accounts here have claims of their own.
    private func checkClaims(of route: RouteEntry, at index: Int, _ configuration: GatewayConfiguration) {
        let forms = configuration.identityProviders.filter { $0.kind == .local }.map(\.name)
        for name in route.login?.ways ?? [] where !forms.contains(name) {
            let claims = SessionClaims(configuration)
            let kept = claims.kept(at: name)
            guard let claim = claims.used(by: route).first(where: { !kept.covers($0) }) else { continue }
            return findings.error(
                "/routes/\(index)/login",
                "sessions at \"\(name)\" do not keep the claim \"\(claim.text)\", which the route looks at",
                expected: "\"claims\" here with it")
        }
    }

    /// Sessions at a provider have the same limits for all routes.
    private mutating func join(_ login: RouteLoginEntry, at index: Int) {
        for name in login.ways {
            let known = limits[name] ?? (nil, nil)
            limits[name] = (
                joint(known.lifetime, login.lifetime, "sessionLifetime", of: name, at: index),
                joint(known.idleTimeout, login.idleTimeout, "idleTimeout", of: name, at: index)
            )
        }
    }

    private func joint(
        _ known: Duration?, _ own: Duration?, _ key: String, of provider: String, at index: Int
    ) -> Duration? {
        if let known, let own, known != own {
            findings.error(
                "/routes/\(index)/login/\(key)", "another route has another value for the sessions of \"\(provider)\"",
                expected: "one \"\(key)\" for a provider")
        }
        return known ?? own
    }

    /// The realm of users who log in by browser at routes.
    package static func realm(_ configuration: GatewayConfiguration) -> String {
        let standard = "Default"
        guard let realms = configuration.realms, !realms.isEmpty, !realms.contains(standard) else { return standard }
        return realms[0]
    }
}
