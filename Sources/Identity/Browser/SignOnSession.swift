import Bytes
import Model

/// A single sign-on session as stored in its cookie: applications get tokens without another login (SSO-08). It is
/// bound to one user and to the identity provider that authenticated the user.
package struct SignOnSession: Sendable, Equatable {
    /// Id of its store record; new after every login.
    package var id: String
    /// Token family: named by the tokens issued from the session, and revoked at logout. Kept when the user logs in
    /// again.
    package var family: String
    package var subject: String
    /// Realm of the user's account; for a virtual user, of the backend whose login page was used.
    package var realm: String
    /// Name of the identity provider.
    package var provider: String
    /// The roles are those from the provider, in addition to those of the account.
    package var login: LoginFacts
    /// Seconds since 1970, as are all times here.
    package var expiresAt: Int64
    /// Time of the last use.
    package var usedAt: Int64
    /// When the last token of its family expires.
    package var tokensEndAt: Int64
    /// Until when the provider considers the login valid; nil if not stated.
    package var providedUntil: Int64?
    /// Ids of the store records that it depends on; a logout at the provider ends them.
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
        login = LoginFacts(authenticatedAt: authenticatedAt, level: level)
        self.expiresAt = expiresAt
        usedAt = authenticatedAt
        tokensEndAt = authenticatedAt
    }

    /// All members except the sealing date.
    var texts: [String] {
        [
            id, family, subject, realm, provider, "\(login.authenticatedAt)", "\(usedAt)", "\(tokensEndAt)",
            "\(providedUntil ?? 0)", "\(login.level)", login.isVirtual ? "virtual" : "account",
            "\(login.methods.count)", "\(login.roles.count)",
        ] + login.methods + login.roles + foundations
    }

    /// Nil for input that `texts` does not produce.
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
        login.isVirtual = texts[10].isExactly("virtual")
        let rest = texts[13...]
        login.methods = Array(rest.prefix(methods))
        login.roles = Array(rest.dropFirst(methods).prefix(roles))
        foundations = Array(rest.dropFirst(methods + roles))
    }

    private static func number(_ text: String) -> Int? { Decimal.parse(Array(text.utf8).span) }
}
