/// How a client gets tokens, by its name in `grant_type` and `grant_types` (RFC 7591 section 2).
package enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    case password
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
}
