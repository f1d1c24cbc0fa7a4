import Foundation
import Testing

/// How the gateway authenticates to servers of others without a shared secret: `private_key_jwt` (RFC 7523) and
/// `tls_client_auth` (RFC 8705).
@Suite struct StrongClientTests {
    private static func active() -> String {
        let end = Int(Date().timeIntervalSince1970) + 600
        return #"{"active": true, "sub": "eve", "exp": \#(end), "aud": "gateway", "roles": ["Clerk"]}"#
    }

    private static func issuer(_ url: String, _ members: String) -> String {
        """
        [{"name": "as", "issuer": "https://as.example.com", "audience": ["gateway"], "roleAttributes": ["roles"],
          "client": "inventory/1.0",
          "introspection": {"url": "\(url)", "clientId": "gateway", \(members)}}]
        """
    }

    @Test("an introspection server gets an assertion with a key it finds published", arguments: ["ES256", "RS256"])
    func assertion(_ algorithm: String) throws {
        let server = try StubUpstream()
        server.on("/introspect") { _ in [.reply("200 OK", body: Self.active())] }
        let fixture = try Fixture { settings in
            settings["trustedIssuers"] = Self.issuer(
                "\(server.url)/introspect",
                """
                "allowHttp": true, "clientKeyFile": "client.pem", "clientKeyAlgorithm": "\(algorithm)",
                "clientKeyId": "gw-1"
                """)
        }
        for token in ["one", "two"] {
            #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        }
        let keys = JSONText(try fixture.request("GET", "/.well-known/jwks.json").text)["keys"]
        #expect(keys.list.contains { $0["kid"].string == "gw-1" && $0["alg"].string == algorithm })
        let asked = server.requests("/introspect")
        var ids: Set<String> = []
        for request in asked {
            #expect(request.values("Authorization").isEmpty)
            let form = String(decoding: request.body, as: UTF8.self)
            #expect(form.contains("client_id=gateway"))
            #expect(form.contains("client-assertion-type%3Ajwt-bearer"))
            let assertion = try #require(form.firstMatch(of: /client_assertion=([^&]+)/)).1
            let claims = JSONWebToken(String(assertion)).claims
            let made = try #require(claims["iat"].integer)
            #expect(claims["iss"].string == "gateway" && claims["sub"].string == "gateway")
            #expect(claims["aud"].string == "https://as.example.com")
            #expect(claims["exp"].integer == made + 60)
            ids.insert(claims["jti"].string ?? "")
        }
        #expect(asked.count == 2 && ids.count == 2)
    }

    /// A server that wants certificates of clients; it is another gateway before a stub.
    private func server(_ certificates: ConfigurationDirectory) throws -> SecureFixture {
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        try TLSClientTests.issue("gateway", by: "authority", in: certificates)
        let server = try SecureFixture(
            tls: #""clientAuth": "optional", "clientCaFile": "\#(certificates.path)/authority/cert.pem", "#
        ) {
            $0.addRoutes(
                """
                {"path": "/introspect", "upstream": "stub", "public": true, "clientCertificate": true,
                 "forwardClientCertificate": true}
                """)
        }
        server.upstream.on("/introspect") { _ in [.reply("200 OK", body: Self.active())] }
        return server
    }

    @Test("an introspection server sees the client certificate; without it, the gateway answers 503")
    func certificate() throws {
        let certificates = try ConfigurationDirectory()
        let server = try server(certificates)
        let url = "\(try server.url())/introspect"
        let own = #""certFile": "\#(certificates.path)/gateway.pem", "keyFile": "\#(certificates.path)/gateway.key""#
        let trust = #""caFile": "\#(server.file("tls/cert.pem"))""#
        let fixture = try Fixture { settings in
            settings["trustedIssuers"] = Self.issuer(
                url, #""clientAuthentication": "tls_client_auth", "tls": {\#(own), \#(trust)}"#)
        }
        #expect(try fixture.request("GET", "/inventory/me", [.bearer("token")]).status == 200)
        let asked = try #require(server.upstream.requests("/introspect").first)
        #expect(asked.only("X-Gateway-Client-Fingerprint") != nil)
        #expect(String(decoding: asked.body, as: UTF8.self).hasSuffix("&client_id=gateway"))
        let other = try Fixture { settings in
            settings["trustedIssuers"] = Self.issuer(url, #""clientSecret": "s", \#(trust)"#)
        }
        let answer = try other.request("GET", "/inventory/me", [.bearer("token")])
        #expect(answer.status == 503 && JSONText(answer.text)["code"].string == "introspection_unavailable")
        #expect(server.upstream.requests("/introspect").count == 1)
    }
}
