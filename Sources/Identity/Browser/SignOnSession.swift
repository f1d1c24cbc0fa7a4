import Bytes
import Model

/// A login of a browser by which applications get tokens without another one (SSO-08), as its cookie tells of it. It is
/// bound to one user and to the identity provider that has recognised him.
package struct SignOnSession: Sendable, Equatable {
    /// Id of its record in the store: another one after every login.
    package var id: String
    /// What the tokens that came of it name, and what a logout ends them by: the same when its user logs in once more.
    package var family: String
    package var subject: String
    /// That of the user's account, or of the backend whose login page a virtual user came by.
    package var realm: String
    /// Name of the identity provider.
    package var provider: String
    /// Seconds since 1970, as are all times here.
    package var authenticatedAt: Int64
    package var expiresAt: Int64
    /// When it was used last.
    package var usedAt: Int64
    /// When the last token that came of its family ends.
    package var tokensEndAt: Int64
    /// Until when the provider's word holds; nil where it says nothing of it.
    package var providedUntil: Int64?
    package var level: Int
    /// Whether the user has no account here, so that no realm counts.
    package var isVirtual = false
    /// How the user logged in: `amr`, in the words of RFC 8176.
    package var methods: [String] = []
    /// What the provider's word is worth beside the roles of the account.
    package var roles: [String] = []
    /// Ids of the records that it ends with; a logout at the provider ends these.
    package var foundations: [String] = []

    package init(
        id: String, family: String, subject: String, realm: String, provider: String, authenticatedAt: Int64,
        expiresAt: Int64, level: Int
    ) {
        self.id = id
        self.family = family
        self.subject = subject
        self.realm = realm
        self.provider = provider
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        usedAt = authenticatedAt
        tokensEndAt = authenticatedAt
        self.level = level
    }

    /// All but the date that it is sealed with.
    var texts: [String] {
        [
            id, family, subject, realm, provider, "\(authenticatedAt)", "\(usedAt)", "\(tokensEndAt)",
            "\(providedUntil ?? 0)", "\(level)", isVirtual ? "virtual" : "account", "\(methods.count)",
            "\(roles.count)",
        ] + methods + roles + foundations
    }

    /// Nil for what `texts` does not write.
    init?(_ texts: [String], expiresAt: Int64) {
        let numbers = texts.dropFirst(5).prefix(5).compactMap(SignOnSession.number)
        guard texts.count >= 13, numbers.count == 5, !texts[0].isEmpty, !texts[1].isEmpty, !texts[2].isEmpty,
            ExternalIdentityRules.isFitForHeaders(texts[2]), (0...10).contains(numbers[4]),
            let methods = SignOnSession.number(texts[11]), let roles = SignOnSession.number(texts[12]),
            texts.count - 13 >= methods, texts.count - 13 - methods >= roles
        else { return nil }
        self.init(
            id: texts[0], family: texts[1], subject: texts[2], realm: texts[3], provider: texts[4],
            authenticatedAt: Int64(numbers[0]), expiresAt: expiresAt, level: numbers[4])
        usedAt = Int64(numbers[1])
        tokensEndAt = Int64(numbers[2])
        providedUntil = numbers[3] == 0 ? nil : Int64(numbers[3])
        isVirtual = texts[10].utf8.elementsEqual("virtual".utf8)
        let rest = texts[13...]
        self.methods = Array(rest.prefix(methods))
        self.roles = Array(rest.dropFirst(methods).prefix(roles))
        foundations = Array(rest.dropFirst(methods + roles))
    }

    private static func number(_ text: String) -> Int? { Decimal.parse(Array(text.utf8).span) }
}
