import Foundation
import Testing

/// Clients that know a URL alone find the authorization server of its tokens (RFC 9728).
@Suite struct ProtectedResourceTests {
    private static let origin = "http://gw.example.com"

    /// The value of a parameter of a challenge.
    private func parameter(_ name: String, _ response: Response) throws -> String {
        let challenge = try #require(response.only("WWW-Authenticate"))
        let begin = try #require(challenge.range(of: "\(name)=\""), "\(challenge)")
        return String(challenge[begin.upperBound...].prefix { $0 != "\"" })
    }

    private func path(_ url: String) throws -> String {
        #expect(url.hasPrefix(Self.origin), "\(url)")
        return String(url.dropFirst(Self.origin.count))
    }

    @Test(
        "an MCP client comes from a 401 to the document, from there to the authorization server, and in with its token")
    func chain() throws {
        let fixture = try Fixture {
            $0.addRoutes(
                #"{"path": "/mcp/**", "upstream": "stub", "issuers": ["local"], "protectedResource": {"name": "Tools", "scopes": ["x"]}}"#
            )
        }
        let refused = try fixture.request("POST", "/mcp/call", body: "{}")
        #expect(refused.status == 401)
        let url = try parameter("resource_metadata", refused)
        #expect(url == "\(Self.origin)/.well-known/oauth-protected-resource/mcp")
        let answer = try fixture.request("GET", path(url))
        #expect(answer.status == 200 && answer.only("Access-Control-Allow-Origin") == "*")
        let document = JSONText(answer.text)
        #expect(document["resource"].string == "\(Self.origin)/mcp" && document["resource_name"].string == "Tools")
        #expect(document["scopes_supported"].list.map(\.string) == ["x"])
        #expect(document["bearer_methods_supported"].list.map(\.string) == ["header"])
        let server = try #require(document["authorization_servers"].list.first?.string)
        for name in ["oauth-authorization-server", "openid-configuration"] {
            let metadata = JSONText(try fixture.request("GET", path("\(server)/.well-known/\(name)")).text)
            #expect(metadata["issuer"].string == server)
            #expect(metadata["token_endpoint"].string == "\(Self.origin)/oauth2/token")
        }
        let admitted = try fixture.request("POST", "/mcp/call", [.bearer(fixture.token("joe"))], body: "{}")
        #expect(admitted.status == 200)
    }

    @Test("issuers, scopes and places of tokens are those of the route; a 403 for scopes leads to the document, too")
    func documents() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try Fixture {
            $0["trustedIssuers"] = "[\(issuer.entry())]"
            $0.addRoutes(
                #"""
                {"path": "/r/{id}", "upstream": "stub", "protectedResource": true, "scopes": ["read"],
                 "tokenSources": [{"header": "Authorization", "scheme": "Bearer"}, {"query": "access_token"}],
                 "methods": {"GET": {}, "POST": {"scopes": {"any": ["write", "read"]}}}}
                """#)
        }
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
        let denied = try fixture.request("GET", "/r/1", [.bearer(issuer.token("a"))])
        #expect(denied.status == 403)
        let url = try parameter("resource_metadata", denied)
        let document = JSONText(try fixture.request("GET", path(url)).text)
        #expect(document["resource"].string == "\(Self.origin)/r")
        #expect(document["authorization_servers"].list.map(\.string) == [StubIssuer.issuer, Self.origin])
        #expect(document["scopes_supported"].list.map(\.string) == ["read", "write"])
        #expect(document["bearer_methods_supported"].list.map(\.string) == ["header", "query"])
        // Other routes say nothing of it, and there are no other documents.
        #expect(try fixture.request("GET", "/plain").only("WWW-Authenticate")?.contains("resource_metadata") == false)
        let wellKnown = "/.well-known/oauth-protected-resource"
        for path in ["", "/", "/plain", "/r/1"] {
            #expect(try fixture.request("GET", wellKnown + path).status == 404, "\(path)")
        }
        #expect(try fixture.request("POST", "\(wellKnown)/r", body: "").status == 405)
    }

    @Test("any page may read the document, also after a preflight; the origin is never a forged host's")
    func pages() throws {
        let fixture = try Fixture {
            $0["additionalBaseUrls"] = #"["https://other.example.com"]"#
            $0.addRoutes(#"{"path": "/**", "upstream": "stub", "protectedResource": true}"#)
        }
        let wellKnown = "/.well-known/oauth-protected-resource"
        let foreign = Field(name: "Origin", value: "https://anywhere.example")
        let read = try fixture.request("GET", wellKnown, [foreign])
        #expect(read.status == 200 && read.only("Access-Control-Allow-Origin") == "*")
        #expect(JSONText(read.text)["resource"].string == Self.origin)
        let preflight = try fixture.request(
            "OPTIONS", wellKnown,
            [
                foreign, Field(name: "Access-Control-Request-Method", value: "GET"),
                Field(name: "Access-Control-Request-Headers", value: "mcp-protocol-version"),
            ])
        #expect(preflight.status == 204 && preflight.only("Access-Control-Allow-Headers") == "*")
        for (host, origin) in [
            ("other.example.com", "https://other.example.com"), ("evil.example", Self.origin),
            ("other.example.com:81", Self.origin),
        ] {
            let refused = try fixture.request("GET", "/x", [Field(name: "Host", value: host)])
            #expect(try parameter("resource_metadata", refused) == origin + wellKnown, "\(host)")
            let document = try fixture.request("GET", wellKnown, [Field(name: "Host", value: host)])
            #expect(JSONText(document.text)["resource"].string == origin, "\(host)")
        }
    }
}
