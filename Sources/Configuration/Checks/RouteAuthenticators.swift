import Declaration
import Model

/// Checks of the lists of authenticators against what else their routes have.
struct RouteAuthenticators {
    private let configuration: GatewayConfiguration
    private let findings: Findings

    static func check(_ configuration: GatewayConfiguration, _ findings: Findings) {
        let checks = RouteAuthenticators(configuration: configuration, findings: findings)
        for (index, route) in configuration.routes.enumerated() {
            guard let list = route.options.authenticators else { continue }
            checks.check(route, list, at: "/routes/\(index)/authenticators")
        }
    }

    private func check(_ route: RouteEntry, _ list: [Authenticator], at pointer: String) {
        if route.access.isPublic && route.methods.allSatisfy(\.access.isPublic) {
            return findings.error(pointer, "a public route has no caller", expected: "no \"authenticators\" here")
        }
        if route.application != nil {
            return findings.error(
                pointer, "an application says itself which credentials count", expected: "no \"application\" beside it")
        }
        for (place, entry) in list.enumerated() {
            guard let realms = configuration.realms, let settings = entry.passwords, !realms.contains(settings.realm)
            else { continue }
            findings.error(
                "\(pointer)/\(place)/realm", "unknown realm \"\(settings.realm)\"", expected: "a realm of realms.json",
                suggestion: Suggestion.nearest(to: settings.realm, among: realms))
        }
        if list.contains(where: { $0.passwords != nil }) {
            if list.contains(where: { $0.kind == .anonymousKey }) {
                findings.error(
                    pointer, "a mobile backend has its own passwords",
                    expected: "no \"anonymousKey\" beside \"basic\" with \"issuer\"")
            }
            if !route.clients.isEmpty {
                findings.error(
                    pointer, "a password that an issuer verifies belongs to no client",
                    expected: "no \"clients\" and \"backends\", or \"basic\" without \"issuer\"")
            }
        }
        checkClients(route, list, at: pointer)
        checkPlaces(route, list, at: pointer)
        for type in CredentialKinds.all where list.contains(where: { $0.kind.type == type }) {
            (type as? any CheckedKind.Type)?.check(
                list, of: route, at: pointer, in: configuration, findings)
        }
        let listsSession = list.contains { $0.kind == .session }
        let scheme =
            route.authenticationScheme
            ?? configuration.webgates.first { $0.name == route.webgate }?.authenticationScheme
        let form = configuration.authenticationSchemes.first { $0.name == scheme && $0.challengeMethod == .form }
        let hasLogin = form != nil || route.login != nil
        if listsSession, !hasLogin {
            findings.error(
                pointer, "the route has no login of browsers", expected: "\"login\" beside it, or no \"session\"")
        } else if !listsSession, hasLogin {
            // The browser would log in again and again.
            findings.error(
                pointer, "the session of the route's login would not count", expected: "\"session\" in the list")
        }
        if route.access.socialLogin, !list.contains(where: { $0.kind == .anonymousKey }) {
            findings.error(
                pointer, "a social login comes beside an anonymous key", expected: "\"anonymousKey\" in the list")
        }
    }

    /// With clients, only what belongs to one of them opens the route, also while it is revoked.
    private func checkClients(_ route: RouteEntry, _ list: [Authenticator], at pointer: String) {
        let entries = configuration.clients.filter { route.clients.contains($0.client.reference) }
        let opens = list.contains { entry in
            (entry.kind.type as? any CheckedKind.Type)?.belongs(toOneOf: entries) ?? true
        }
        if entries.isEmpty || opens { return }
        findings.error(
            pointer, "no credential of the list belongs to one of the route's clients",
            expected: "\"bearer\" in the list, or no \"clients\" and \"backends\"")
    }

    /// A key and a token need a place each.
    private func checkPlaces(_ route: RouteEntry, _ list: [Authenticator], at pointer: String) {
        guard let sources = route.options.tokenSources else { return }
        for (place, entry) in list.enumerated() where entry.needsKey {
            let isInPlace = entry.kind == .bearer
            guard sources.count < (isInPlace ? 2 : 1) || !isInPlace && sources == [.authorization] else { continue }
            findings.error(
                "\(pointer)/\(place)/all", "\"tokenSources\" has no place for the key beside the other credential",
                expected: "another place, such as { \"header\": \"X-API-Key\" }")
        }
    }
}
