import Model
import Outbound

/// An introspection server for the tokens of an outside issuer (RFC 7662), and the terms on which its answers are
/// accepted.
package struct IntrospectionServer: Sendable {
    /// Name of the configuration entry.
    package var name: String
    /// Required `iss` of its answers, if they have one; for JWTs, selects the tokens to introspect.
    package var issuer: String
    package var url: WebURL
    /// The gateway's registration there.
    package var client: OAuth2Client
    /// `aud` of client assertions; nil for `issuer`.
    package var assertionAudience: String?
    /// Prefix of its opaque tokens; empty for all tokens that no other server claims.
    package var tokenPrefix = ""
    /// The gateway's names: an answer's `aud` must contain one of these.
    package var audiences: [String]
    /// Whether an answer must have an `aud`.
    package var requireAudience: Bool
    /// Allowed clock difference.
    package var clockSkewSeconds: Int64 = 60
    /// Maximum time that an answer is cached. A revocation can go unnoticed for this long.
    package var cacheSeconds: Int64 = 60
    /// Time that a refusal is cached.
    package var negativeCacheSeconds: Int64 = 5
    package var transport = OutboundTransport()

    package init(
        name: String, issuer: String, url: WebURL, client: OAuth2Client, audiences: [String],
        requireAudience: Bool = true
    ) {
        self.name = name
        self.issuer = issuer
        self.url = url
        self.client = client
        self.audiences = audiences
        self.requireAudience = requireAudience
    }

    /// The request about a token (section 2.1). Slow if authentication is.
    func call(about token: [UInt8], now: Int64) -> OutboundCall {
        client.call(
            [("token", String(decoding: token, as: UTF8.self)), ("token_type_hint", "access_token")],
            at: url, audience: assertionAudience ?? issuer, transport, now: now)
    }
}
