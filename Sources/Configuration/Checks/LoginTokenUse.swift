import Bytes
import Declaration
import Model

/// What routes use of the tokens of logins.
package struct LoginTokenUse {
    private let configuration: GatewayConfiguration

    package init(_ configuration: GatewayConfiguration) { self.configuration = configuration }

    private var logins: [RouteLoginEntry] { configuration.routes.compactMap(\.login) }

    /// Reports tokens of logins where no login has them.
    func check(_ route: RouteEntry, at pointer: String, _ findings: Findings) {
        for injection in route.injections(configuration.webgates)
        where injection.issuer == InjectionEntry.login && route.login?.passesTokens != true {
            findings.error(
                injection.pointer, "no login of the route keeps the tokens of its provider",
                expected: "\"login\": {\"providers\": …, \"tokens\": true} beside it")
        }
        guard let login = route.login else { return }
        let silent = login.ways.filter { name in
            let entry = configuration.identityProviders.first { $0.name == name }
            return entry.map { $0.kind == .local || $0.settings?.issuesTokens == false } ?? false
        }
        if login.passesTokens, let name = silent.first {
            findings.error(
                "\(pointer)/login/tokens", "a login at \"\(name)\" yields no tokens",
                expected: "providers of OpenID Connect or OAuth 2 alone")
        }
        guard login.recheck != nil else { return }
        if let name = silent.first {
            findings.error(
                "\(pointer)/login/recheck", "a login at \"\(name)\" yields no tokens, with which it could be asked",
                expected: "providers of OpenID Connect or OAuth 2 alone")
        }
        if route.options.challengeRule != nil || route.answer != nil {
            findings.error(
                "\(pointer)/login/recheck",
                "the provider is asked before a request is forwarded, as this route's are not at once",
                expected: "no \"upstreamAuth\", \"response\" or \"redirect\" beside it")
        }
    }

    /// Whether some route passes on the tokens of logins at a provider.
    package func passesTokens(of provider: String) -> Bool {
        logins.contains { $0.passesTokens && $0.ways.contains(where: provider.isExactly) }
    }

    /// Whether a provider is asked whether its logins still hold.
    package func isAsked(_ provider: String) -> Bool {
        logins.contains { $0.recheck != nil && $0.ways.contains(where: provider.isExactly) }
    }
}
