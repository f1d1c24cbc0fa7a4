/// Where a gateway has its endpoints, as the documents of their protocols say.
enum GatewayPaths {
    /// Above the generic endpoints, by default.
    static let prefix = "/oauth2"
    static let token = "/token"
    static let revocation = "/revoke"
    static let whoAmI = "/mobile/platform/users/~"
    static let tokenExchange = "/mobile/platform/auth/token"
    static let browserExchange = "/mobile/platform/sso/exchange-token"
    static let mobileSocial = "/oic_rest/rest/"
    static let relyingParty = "/oic_rest/relyingparty"
    static let userProfiles = "/oic_rest/rest/userprofile/"
    static let applicationToken = "/yambas/oauth/token"
    static let applicationRevocation = "/yambas/oauth/users/revoke"
    static let applicationRevocationOfAll = "/yambas/oauth/users/revokeall"
    /// The header field with a user token.
    static let userTokenField = "X-Idaas-Rest-Subject-Value"
}
