/// Paths of the OAuth server's endpoints that the configuration may replace.
package struct OAuthPaths: Sendable, Equatable {
    /// Path of the token endpoint, which the metadata names.
    package var token = "/oauth2/token"
    /// Further paths of the token endpoint.
    package var tokenAliases = ["/token"]
    /// Path of the revocation endpoint (RFC 7009).
    package var revocation = "/oauth2/revoke"
    /// Path of the introspection endpoint (RFC 7662).
    package var introspection = "/oauth2/introspect"
    /// Path of the authorization endpoint (RFC 6749 section 3.1).
    package var authorization = "/oauth2/authorize"

    package static let standard = OAuthPaths()

    package init() {}

    /// All paths of the token endpoint.
    package var ofTokens: [String] { [token] + tokenAliases }
}
