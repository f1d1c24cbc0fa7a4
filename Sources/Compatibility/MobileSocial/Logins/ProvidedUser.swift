import Bytes
import Model

/// The user for an identity of a provider.
struct ProvidedUser: Sendable {
    let provider: String
    /// Name at the gateway.
    let subject: String
    /// Name at the provider: e-mail address or subject (RP-03).
    let username: String
    let isVirtual: Bool
    let roles: [String]
    let methods: [String]

    func facts(
        _ domain: ServiceDomain, _ application: MobileApplication, foundation: String, now: Int64
    ) -> MobileSession.Facts {
        var facts = MobileSession.Facts(
            domain: domain.name, application: application.name, level: domain.level, methods: methods,
            authenticatedAt: now)
        facts.provision = ProvidedLogin(
            provider: provider, foundation: foundation, isVirtual: isVirtual, roles: roles)
        return facts
    }
}

/// The members about the provider in the response of a login (RP-03).
struct ProvidedReply: Sendable {
    let username: String
    let provider: String
    /// The provider's access token; nil if applications do not get it.
    let token: String?

    func write(to writer: inout JSONWriter) {
        writer.member("userName", username)
        if let token { writer.member("accessTokens") { $0.member(provider, token) } }
    }
}
