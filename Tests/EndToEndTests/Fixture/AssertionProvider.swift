import Crypto
import Foundation
import JOSE
import Model
import TestSupport

/// An identity provider that gives the client `agent` identity assertions (ID-JAG), at `/exchange` for the ID token of a user.
final class AssertionProvider: Sendable {
    static let type = "oauth-id-jag+jwt"

    let server: StubUpstream
    /// The error with which exchanges are refused; nil for none.
    let refusal = Monitor<String?>(nil)
    private let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")

    init() throws {
        server = try StubUpstream()
        let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
        server.on("/keys") { _ in [.reply(body: keys)] }
        server.on("/exchange") { [url = server.url, signer, refusal] request in
            if let error = refusal.current { return [.reply("400 Bad Request", body: #"{"error": "\#(error)"}"#)] }
            let body = String(decoding: request.body, as: UTF8.self).replacing("+", with: "%20")
            let form = URLComponents(string: "?" + body)?.queryItems ?? []
            func values(_ name: String) -> [String] { form.filter { $0.name == name }.compactMap(\.value) }
            var claims: [String: Any] = ["aud": values("audience").first ?? "", "resource": values("resource")]
            claims["scope"] = values("scope").first
            let assertion = Self.assertion(claims, of: url, type: Self.type, signer)
            return [
                .reply(
                    "200 OK", ["Content-Type: application/json"],
                    body: """
                        {"issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "token_type": "N_A",
                         "access_token": "\(assertion)", "expires_in": 300}
                        """)
            ]
        }
    }

    /// Its entry of `trustedIssuers`, with further members.
    func entry(_ members: String = #""tokenType": "oauth-id-jag+jwt""#) -> String {
        """
        {"name": "corporate", "issuer": "\(server.url)", "jwksUri": "\(server.url)/keys", "allowHttp": true,
         "virtualUserEnabled": true, "roleAttributes": ["groups"], \(members)}
        """
    }

    /// An assertion about ann for five minutes. Members replace and add claims, as JSON without braces; `null` removes one.
    func assertion(_ members: String = "", type: String = type, signer other: JWTSigner? = nil) -> String {
        let changes = try? JSONSerialization.jsonObject(with: Data("{\(members)}".utf8)) as? [String: Any]
        return Self.assertion(changes ?? [:], of: server.url, type: type, other ?? signer)
    }

    private static func assertion(
        _ changes: [String: Any], of issuer: String, type: String, _ signer: JWTSigner
    ) -> String {
        let now = Int(Date().timeIntervalSince1970)
        var claims: [String: Any] = [
            "iss": issuer, "sub": "ann", "aud": "http://gw.example.com", "client_id": "agent", "iat": now,
            "exp": now + 300, "jti": UUID().uuidString,
        ]
        for (name, value) in changes { claims[name] = value is NSNull ? nil : value }
        let text = (try? JSONSerialization.data(withJSONObject: claims)) ?? Data()
        return String(decoding: signer.sign(claims: Array(text), type: type), as: UTF8.self)
    }

    /// Clients that exchange its assertions, and two that do not, at resources of their own.
    func prepare(_ settings: inout FixtureSettings) {
        settings["tokenService"] = #"{"scopes": ["read", "write", "admin"]}"#
        settings["trustedIssuers"] = "[\(entry())]"
        settings["clients"] = FixtureSettings.list([
            #"{"clientId": "agent", "clientSecret": "s", "identityAssertionIssuers": ["corporate"], "scopes": ["read", "write"]}"#,
            #"{"clientId": "other", "clientSecret": "s", "identityAssertionIssuers": ["corporate"]}"#,
            #"{"clientId": "plain", "clientSecret": "s"}"#,
            #"{"clientId": "app", "public": true, "redirectUris": ["http://127.0.0.1:1/cb"]}"#,
        ])
        settings.addRoutes(
            #"{"path": "/mcp/**", "upstream": "stub", "protectedResource": true}"#,
            #"{"path": "/reports/{id}", "upstream": "stub", "protectedResource": true}"#,
            #"{"path": "/write", "upstream": "stub", "scopes": ["write"]}"#)
    }
}

extension Fixture {
    /// The answer of the token endpoint to an identity assertion.
    func present(_ assertion: String, _ more: [(String, String)] = [], client: String = "agent:s") throws -> Response {
        try grant(Self.identityAssertionForm(assertion, more), client: client)
    }

    static func identityAssertionForm(_ assertion: String, _ more: [(String, String)] = []) -> String {
        let all = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)] + more
        return all.map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            .joined(separator: "&")
    }
}
