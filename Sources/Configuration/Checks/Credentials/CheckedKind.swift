import Declaration
import Model

/// A kind of credential with checks of its own.
protocol CheckedKind: CredentialKind {
    /// Whether a credential of the kind can belong to one of the clients that a route names.
    static func belongs(toOneOf clients: [ClientEntry]) -> Bool

    /// Checks a list with the kind against what else the route and the configuration have.
    static func check(
        _ list: [Authenticator], of route: RouteEntry, at pointer: String, in configuration: GatewayConfiguration,
        _ findings: Findings)
}

extension CheckedKind {
    static func belongs(toOneOf clients: [ClientEntry]) -> Bool { true }

    static func check(
        _ list: [Authenticator], of route: RouteEntry, at pointer: String, in configuration: GatewayConfiguration,
        _ findings: Findings
    ) {}
}

extension BasicKind: CheckedKind {
    static func belongs(toOneOf clients: [ClientEntry]) -> Bool {
        clients.contains { $0.client.httpBasic && $0.socialLogin == nil }
    }
}

extension AnonymousKeyKind: CheckedKind {
    static func belongs(toOneOf clients: [ClientEntry]) -> Bool {
        clients.contains { $0.client.httpBasic && !$0.client.anonymousKey.isEmpty }
    }
}

extension APIKeyKind: CheckedKind {
    static func belongs(toOneOf clients: [ClientEntry]) -> Bool { false }
}
