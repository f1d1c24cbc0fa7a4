/// A token of a provider for a login, kept until the logout.
package struct ProvidedToken: Sendable, Equatable {
    /// Longer tokens are not kept, so that the records of logins stay small.
    private static let longest = 8192

    package let value: String
    /// Otherwise an access token.
    package let isRefreshToken: Bool
    /// Who gave it, and to which client: no other server may get it.
    let origin: String

    /// The refresh token, with which the provider ends the access tokens too (RFC 7009 section 2.1); the access token
    /// without one. Nil if it is too long.
    package init?(refresh: String?, access: String, from origin: String) {
        value = refresh ?? access
        self.origin = origin
        isRefreshToken = refresh != nil
        guard value.utf8.count <= ProvidedToken.longest else { return nil }
    }

    /// Texts for a sealed record.
    package var texts: [String] { [hint, value, origin] }

    /// Nil for input that `texts` does not produce.
    package init?(texts: [String]) {
        guard texts.count == 3, !texts[1].isEmpty else { return nil }
        isRefreshToken = texts[0] == "refresh_token"
        (value, origin) = (texts[1], texts[2])
    }

    /// `token_type_hint`.
    var hint: String { isRefreshToken ? "refresh_token" : "access_token" }
}
