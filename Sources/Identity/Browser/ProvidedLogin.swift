import Bytes

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
    /// Levels of the login there (`acr`).
    package var levels: [String] = []
    /// Seconds since 1970 of the login there; nil if the provider has not said it.
    package var authenticatedAt: Int64?

    package init(provider: String, foundation: String, isVirtual: Bool, roles: [String]) {
        self.provider = provider
        self.foundation = foundation
        self.isVirtual = isVirtual
        self.roles = roles
    }

    private static let mark = "provider"
    /// Of a record with levels and a time behind the account.
    private static let detailedMark = "provider login"
    private static let virtual = "virtual"
    private static let account = "account"

    /// Texts for a sealed record.
    var texts: [String] {
        let account = isVirtual ? ProvidedLogin.virtual : ProvidedLogin.account
        guard !levels.isEmpty || authenticatedAt != nil else {
            return [ProvidedLogin.mark, provider, foundation, account] + roles
        }
        let time = authenticatedAt.map { "\($0)" } ?? ""
        return [ProvidedLogin.detailedMark, provider, foundation, account, levels.joined(separator: " "), time] + roles
    }

    /// Nil for input that `texts` does not produce.
    init?(_ texts: [String]) {
        let isDetailed = texts.first?.isExactly(ProvidedLogin.detailedMark) == true
        guard texts.count >= (isDetailed ? 6 : 4), isDetailed || texts[0].isExactly(ProvidedLogin.mark),
            !texts[1].isEmpty, !texts[2].isEmpty
        else { return nil }
        let isVirtual = texts[3].isExactly(ProvidedLogin.virtual)
        guard isVirtual || texts[3].isExactly(ProvidedLogin.account) else { return nil }
        self.init(
            provider: texts[1], foundation: texts[2], isVirtual: isVirtual,
            roles: Array(texts.dropFirst(isDetailed ? 6 : 4)))
        guard isDetailed else { return }
        levels = texts[4].split(separator: " ").map(String.init)
        let time = Decimal.parse(Array(texts[5].utf8).span)
        guard texts[5].isEmpty || time != nil else { return nil }
        authenticatedAt = time.map(Int64.init)
    }
}
