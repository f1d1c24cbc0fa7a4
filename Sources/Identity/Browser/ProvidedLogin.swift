/// The part of a session that came from an identity provider.
package struct ProvidedLogin: Sendable, Equatable {
    /// Name of the provider.
    package var provider: String
    /// Id of the store record that the session depends on. It ends when the provider ends the login.
    package var foundation: String
    /// Whether the user is known only from the provider. An account of the same name belongs to someone else (JWT-13).
    package var isVirtual: Bool
    /// Names of the roles from the provider's claims, in addition to those of an account.
    package var roles: [String]

    package init(provider: String, foundation: String, isVirtual: Bool, roles: [String]) {
        self.provider = provider
        self.foundation = foundation
        self.isVirtual = isVirtual
        self.roles = roles
    }

    private static let mark = "provider"
    private static let virtual = "virtual"
    private static let account = "account"

    /// Texts for a sealed record.
    var texts: [String] {
        [ProvidedLogin.mark, provider, foundation, isVirtual ? ProvidedLogin.virtual : ProvidedLogin.account] + roles
    }

    /// Nil for input that `texts` does not produce.
    init?(_ texts: [String]) {
        guard texts.count >= 4, texts[0].utf8.elementsEqual(ProvidedLogin.mark.utf8), !texts[1].isEmpty,
            !texts[2].isEmpty
        else { return nil }
        let isVirtual = texts[3].utf8.elementsEqual(ProvidedLogin.virtual.utf8)
        guard isVirtual || texts[3].utf8.elementsEqual(ProvidedLogin.account.utf8) else { return nil }
        self.init(
            provider: texts[1], foundation: texts[2], isVirtual: isVirtual, roles: Array(texts.dropFirst(4)))
    }
}
