import Bytes
import Crypto
import Model
import Outbound

/// A server that says what the tokens of an outside issuer are worth (RFC 7662), and on which terms it is believed.
package struct IntrospectionServer: Sendable {
    /// Name of the configuration entry.
    package var name: String
    /// The `iss` that its answers have, if they have one; and of JWTs, which tokens are its own.
    package var issuer: String
    package var url: WebURL
    /// The value of `Authorization` by which the gateway shows who it is.
    package var authorization: String
    /// What its own opaque tokens begin with; empty for all that nobody else claims.
    package var tokenPrefix = ""
    /// Who we are to it: an answer's `aud` must name one of these.
    package var audiences: [String]
    /// Whether an answer must have an `aud`.
    package var requireAudience: Bool
    /// By how much its clock may differ from ours.
    package var clockSkewSeconds: Int64 = 60
    /// How long an answer is believed at the most without asking again: so long does a revocation there go unnoticed.
    package var cacheSeconds: Int64 = 60
    /// How long a refusal is believed.
    package var negativeCacheSeconds: Int64 = 5
    /// How TLS is spoken; nil for the default.
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
