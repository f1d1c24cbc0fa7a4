import Bytes
import Crypto
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
    /// Value of `Authorization` with which the gateway authenticates.
    package var authorization: String
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
    /// TLS settings; nil for the default.
    package var tls: TLSClientContext?
    package var connectTimeoutMilliseconds: Int64 = 5000
    package var readTimeoutMilliseconds: Int64 = 10_000

    package init(
        name: String, issuer: String, url: WebURL, authorization: String, audiences: [String],
        requireAudience: Bool = true
    ) {
        self.name = name
        self.issuer = issuer
        self.url = url
        self.authorization = authorization
        self.audiences = audiences
        self.requireAudience = requireAudience
    }

    /// The request about a token (section 2.1).
    func call(about token: [UInt8]) -> OutboundCall {
        OutboundCall(
            method: "POST", url: url,
            headers: [
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "Accept", value: "application/json"), (name: "Authorization", value: authorization),
            ],
            body: FormEncoding.form([
                ("token", String(decoding: token, as: UTF8.self)), ("token_type_hint", "access_token"),
            ]),
            tls: tls, connectTimeoutMilliseconds: connectTimeoutMilliseconds,
            readTimeoutMilliseconds: readTimeoutMilliseconds, maximumBytes: 65_536)
    }
}
