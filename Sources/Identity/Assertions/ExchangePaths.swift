/// Where assertions of outside issuers are exchanged, as the documents of Mobile Cloud have it. Assertions name these
/// places as their audience and recipient.
package enum ExchangePaths {
    /// JWTs are exchanged by applications.
    package static let tokens = "/mobile/platform/auth/token"
    /// Browsers get tokens, and SAML assertions are exchanged.
    package static let browsers = "/mobile/platform/sso/exchange-token"
    /// The redirect URLs of identity providers, which are never forwarded.
    package static let redirects = ["/mobile/platform/sso/redirect", "/mobile/platform/sso/redirect/saml"]
}
