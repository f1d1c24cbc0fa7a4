import Bytes
import Crypto
import JOSE
import Model
import Outbound

/// The gateway's client registration at an authorization server, and its client authentication (RFC 6749 section 2.3,
/// RFC 7523 section 2.2, RFC 8705 section 2.1).
package struct OAuth2Client: Sendable {
    package enum Authentication: Sendable {
        /// In the form where the server's metadata name that alone, otherwise by Basic.
        case secret(String)
        case secretBasic(String)
        case secretPost(String)
        case privateKeyJWT(JWTSigner)
        /// By the client certificate of the connection.
        case certificate
        /// A public client.
        case none
    }

    /// Lifetime of a client assertion.
    private static let assertionSeconds: Int64 = 60

    package let id: String
    package let authentication: Authentication

    package init(id: String, authentication: Authentication) {
        self.id = id
        self.authentication = authentication
    }

    /// Whether authentication needs a slow signature.
    package var isSlow: Bool {
        if case .privateKeyJWT(let signer) = authentication { signer.key.isSlow } else { false }
    }

    /// The client for an endpoint of a server.
    /// - Parameter methods: those that its metadata name for the endpoint (RFC 8414 section 2), empty if none.
    func following(_ methods: [String]) -> OAuth2Client {
        guard case .secret(let secret) = authentication, methods.contains("client_secret_post"),
            !methods.contains("client_secret_basic")
        else { return self }
        return OAuth2Client(id: id, authentication: .secretPost(secret))
    }

    /// The credentials for header and form.
    /// - Parameter audience: `aud` of a client assertion.
    func credentials(
        for audience: String, now: Int64
    ) -> (authorization: String?, form: [(String, String)]) {
        switch authentication {
        case .secret(let secret), .secretBasic(let secret):
            return (FormEncoding.basic(clientID: id, secret: secret), [])
        case .secretPost(let secret): return (nil, [("client_id", id), ("client_secret", secret)])
        case .certificate, .none: return (nil, [("client_id", id)])
        case .privateKeyJWT(let signer):
            let assertion = signer.sign(claims: claims(audience, now: now))
            return (
                nil,
                [
                    ("client_id", id),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", String(decoding: assertion, as: UTF8.self)),
                ]
            )
        }
    }

    /// An authenticated request to the token endpoint (RFC 6749 section 3.2) or another one of the server's.
    /// - Parameters:
    ///   - form: fields of the request itself.
    ///   - audience: `aud` of a client assertion; nil for the endpoint's URL, which is right for the token endpoint.
    package func call(
        _ form: [(String, String)], at endpoint: WebURL, audience: String? = nil, _ transport: OutboundTransport,
        now: Int64
    ) -> OutboundCall {
        let (authorization, credentials) = self.credentials(for: audience ?? endpoint.description, now: now)
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        if let authorization { headers.append((name: "Authorization", value: authorization)) }
        return transport.call(
            "POST", endpoint, headers: headers, body: FormEncoding.form(form + credentials), maximumBytes: 1 << 16)
    }

    private func claims(_ audience: String, now: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", id)
        writer.member("sub", id)
        writer.member("aud", audience)
        writer.member("iat", now)
        writer.member("exp", now + OAuth2Client.assertionSeconds)
        writer.member("jti", SecureRandom.text(16))
        writer.endObject()
        return writer.bytes
    }
}
