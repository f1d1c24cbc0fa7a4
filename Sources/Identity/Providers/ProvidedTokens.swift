import Bytes

/// The tokens of a provider for one login, sealed in the login's record. Which of them are kept, the settings say.
package struct ProvidedTokens: Sendable, Equatable {
    /// Longer tokens are not kept, so that the records of logins stay small, and sealed texts have a limit.
    private static let longest = 16_384

    /// Name of the provider in the configuration.
    package let provider: String
    /// Who gave them, and to which client: no other server may get them.
    let origin: String
    /// `sub` of the user.
    let subject: String
    package private(set) var access: String?
    /// Seconds since 1970 when the access token expires; nil if not stated.
    package private(set) var accessExpiresAt: Int64?
    package private(set) var refresh: String?
    package private(set) var idToken: String?
    /// Seconds since 1970 when the provider last said that the login holds.
    package private(set) var checkedAt: Int64
    /// Seconds since 1970 until when one gateway renews them, and others wait; 0 for none.
    package var renewedUntil: Int64 = 0
    /// Seconds since 1970 until when the provider, which has not answered, is left alone; 0 for none.
    package var pausedUntil: Int64 = 0

    init(of provider: String, origin: String, subject: String, checkedAt: Int64) {
        self.provider = provider
        self.origin = origin
        self.subject = subject
        self.checkedAt = checkedAt
    }

    /// Which tokens of a login are kept.
    package struct Kept: Sendable, Equatable {
        /// For APIs.
        package var access = false
        /// To renew access tokens, or to ask whether the login still holds.
        package var refresh = false
        /// For the logout at the provider.
        package var idToken = false
        /// The refresh token, or the access token where there is none.
        package var revocable = false

        package init() {}

        var isNothing: Bool { self == Kept() }
    }

    /// Takes over what the provider has answered. A refresh token or ID token that it does not repeat stays (RFC 6749
    /// section 6).
    mutating func take(_ granted: TokenReply.Granted, keeping kept: Kept, now: Int64) {
        func fit(_ token: String?) -> String? { token.flatMap { $0.utf8.count <= ProvidedTokens.longest ? $0 : nil } }
        if kept.refresh || kept.revocable { refresh = fit(granted.refresh) ?? refresh }
        if kept.idToken { idToken = fit(granted.members["id_token"]?.string) ?? idToken }
        if kept.access || kept.revocable && refresh == nil {
            access = fit(granted.value)
            accessExpiresAt = granted.lifetimeSeconds.map { now + $0 }
        }
        checkedAt = now
    }

    /// The token to revoke at logout, and `token_type_hint`: the refresh token, with which the provider ends the access
    /// tokens too (RFC 7009 section 2.1); the access token without one.
    package var revocable: (token: String, hint: String)? {
        refresh.map { ($0, "refresh_token") } ?? access.map { ($0, "access_token") }
    }

    /// Texts for a sealed record.
    package var texts: [String] {
        [
            provider, origin, subject, access ?? "", accessExpiresAt.map { "\($0)" } ?? "", refresh ?? "",
            idToken ?? "", "\(checkedAt)", "\(renewedUntil)", "\(pausedUntil)",
        ]
    }

    /// Nil for input that `texts` does not produce.
    package init?(texts: [String]) {
        guard texts.count == 10, !texts[0].isEmpty, let checkedAt = Int64(texts[7]), let renewedUntil = Int64(texts[8]),
            let pausedUntil = Int64(texts[9]),
            let end = texts[4].isEmpty ? .some(nil) : Int64(texts[4]).map(Optional.some)
        else { return nil }
        self.init(of: texts[0], origin: texts[1], subject: texts[2], checkedAt: checkedAt)
        func stated(_ text: String) -> String? { text.isEmpty ? nil : text }
        (access, accessExpiresAt) = (stated(texts[3]), end)
        (refresh, idToken) = (stated(texts[5]), stated(texts[6]))
        (self.renewedUntil, self.pausedUntil) = (renewedUntil, pausedUntil)
    }
}

/// What is asked of the tokens of a login.
package enum ProvidedTokenDemand: Sendable, Equatable {
    /// An access token that has not expired.
    /// - Parameter instead: the token that is about to expire or was refused; nil for any.
    case access(instead: String? = nil)
    /// That the provider has said it since then that the login holds.
    /// - Parameters:
    ///   - since: seconds since 1970.
    ///   - every: how often the provider is asked, in seconds.
    case check(since: Int64, every: Int64)

    /// Whether it is met without the provider.
    package func isMet(by tokens: ProvidedTokens, now: Int64) -> Bool {
        switch self {
        case .access(let instead):
            guard let access = tokens.access, instead.map({ !access.isExactly($0) }) ?? true else { return false }
            return hasAccess(tokens, now: now)
        case .check(let since, _): return tokens.checkedAt > since
        }
    }

    /// Whether it is met well enough while the provider does not answer: by the token in use, or by what it said lately.
    /// - Parameter patience: how much longer a login holds then, in seconds.
    package func isMet(by tokens: ProvidedTokens, patience: Int64, now: Int64) -> Bool {
        switch self {
        case .access: hasAccess(tokens, now: now)
        case .check(_, let every): now < tokens.checkedAt + every + patience
        }
    }

    private func hasAccess(_ tokens: ProvidedTokens, now: Int64) -> Bool {
        tokens.access != nil && tokens.accessExpiresAt.map { $0 > now } ?? true
    }

    /// Seconds since 1970 when a login ends that the provider does not answer for; nil for never.
    package func end(of tokens: ProvidedTokens, patience: Int64) -> Int64? {
        switch self {
        case .access: tokens.accessExpiresAt.map { $0 + patience }
        case .check(_, let every): tokens.checkedAt + every + patience
        }
    }
}

/// Why a login has no tokens that meet a demand.
package enum ProvidedTokenFailure: Error, Sendable, Equatable {
    /// The login is over: the provider has ended it, or nothing is left to renew it with.
    case ended
    /// The provider or the store does not answer. With details for the log.
    case unavailable(String)
    /// A new login would end at once. With details for the log.
    case unusable(String)
}
