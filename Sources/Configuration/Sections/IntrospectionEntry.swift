import Declaration
import Model

/// The introspection endpoint of a trusted issuer (RFC 7662).
package struct IntrospectionEntry: Sendable {
    package var url: WebURL
    package var client: ProviderClientEntry
    /// `aud` of client assertions; nil for the issuer.
    package var assertionAudience: String?
    /// Prefix of its opaque tokens; empty for any.
    package var tokenPrefix: String
    /// How long a positive response is cached.
    package var cache: Duration
    /// How long a negative response is cached.
    package var negativeCache: Duration
    package var connectTimeout: Duration
    package var readTimeout: Duration
    /// Absolute path of a PEM file with the authorities of its certificate; nil for the system's.
    package var authorityFile: String?

    static let shape = Shape.object("an object: {\"url\", \"clientId\", \"clientSecret\"}") { object in
        let allowsHTTP = object.flag("allowHttp", default: false, "Whether tokens and secret may be sent without TLS.")
        let client = ProviderClientEntry(&object, of: .introspecting)
        return IntrospectionEntry(
            url: object.required(
                "url", .url(allowHTTP: allowsHTTP), "an https:// URL", placeholder: WebURL(.placeholder),
                "Where the server is asked: `https://`, or `http://` with `allowHttp`."),
            client: client,
            assertionAudience: object.optional(
                "clientAssertionAudience", .name,
                """
                `aud` of the assertion that `private_key_jwt` sends; the `issuer` of the entry by default. Some servers \
                want their own URL.
                """),
            tokenPrefix: object.value(
                "tokenPrefix", .fieldValue, default: "",
                "Prefix of its opaque tokens; no other token is sent to it. By default any."),
            cache: object.value(
                "cache", .duration, default: .seconds(60),
                "How long an answer is kept; a revocation there is not seen for so long."),
            negativeCache: object.value(
                "negativeCache", .duration, default: .seconds(5), "How long a refusal is kept."),
            connectTimeout: object.value(
                "connectTimeout", .duration, default: .seconds(5), "Time for name resolution, connection and handshake."
            ),
            readTimeout: object.value("readTimeout", .duration, default: .seconds(10), "Time for the whole answer."),
            authorityFile: client.caFileBesideTLS(&object, shape: .readableFile))
    }
}
