import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// Identity assertions (ID-JAG), by which clients get access tokens for users of an identity provider.
@Suite struct IdentityAssertionTests {
    private static let (tools, reports) = ("http://gw.example.com/mcp", "http://gw.example.com/reports")

    private static var now: Int { Int(Date().timeIntervalSince1970) }

    private func fixture(_ provider: AssertionProvider, _ members: String? = nil) throws -> Fixture {
        try Fixture { settings in
            provider.prepare(&settings)
            if let members { settings["trustedIssuers"] = "[\(provider.entry(members))]" }
        }
    }

    /// The error in an answer, and the reason in the log.
    private func refusal(_ fixture: Fixture, _ response: Response) throws -> String {
        #expect(response.status == 400, "\(response.text)")
        let id = try #require(response.only("X-Request-Id"), "\(response.head)")
        let line = try #require(fixture.gateway.waitForAccess { $0["request_id"].string == id })
        return "\(JSONText(response.text)["error"].string ?? "") \(line["reason"].string ?? "")"
    }

    @Test("an assertion gets an access token of its user, and no refresh token; the metadata say so")
    func granted() throws {
        let provider = try AssertionProvider()
        let fixture = try fixture(provider)
        let claims = """
            "scope": "read write", "groups": ["Clerk", "unknown"], "aud": ["http://gw.example.com"], "acr": "mfa",
            "auth_time": \(Self.now - 60), "amr": ["pwd", "otp"], "email": "ann@example.com",
            "act": {"sub": "agent-7"}
            """
        let response = try fixture.present(provider.assertion(claims))
        let reply = JSONText(response.text)
        #expect(response.status == 200 && reply["scope"].string == "read write", "\(response.text)")
        #expect(reply.names == ["access_token", "expires_in", "scope", "token_type"])
        let token = try #require(reply["access_token"].string)
        #expect(try fixture.request("GET", "/write", [.bearer(token)]).status == 200)
        let request = try fixture.lastRequest("/write")
        #expect(request.only("X-Gateway-User") == "ann" && request.only("X-Gateway-Roles") == "Clerk")
        #expect(request.only("X-Gateway-Client") == "agent")
        let payload = JSONWebToken(token).claims
        #expect(payload["auth_time"].integer.map { $0 < Self.now - 30 } == true)
        #expect(payload["amr"].strings == ["pwd", "otp"] && payload["act"]["sub"].string == "agent-7")
        let document = JSONText(try fixture.request("GET", "/.well-known/oauth-authorization-server").text)
        #expect(
            document["authorization_grant_profiles_supported"].strings == ["urn:ietf:params:oauth:grant-profile:id-jag"]
        )
        #expect(
            document["grant_types_supported"].strings.contains("urn:ietf:params:oauth:grant-type:jwt-bearer"))
    }

    @Test("an assertion for another place or client, of another type or issuer, or too old is refused")
    func refused() throws {
        let provider = try AssertionProvider()
        let fixture = try fixture(provider)
        let stranger = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
        let cases: [(String, String)] = [
            (provider.assertion(#""aud": "http://gw.example.com/""#), "assertion_audience_wrong"),
            (provider.assertion(#""aud": "http://gw.example.com/oauth2/token""#), "assertion_audience_wrong"),
            (provider.assertion(#""aud": ["http://gw.example.com", "x"]"#), "assertion_audience_wrong"),
            (provider.assertion(#""aud": null"#), "assertion_audience_wrong"),
            (provider.assertion(#""client_id": "other""#), "assertion_client_wrong"),
            (provider.assertion(#""client_id": null, "azp": "agent""#), "assertion_client_wrong"),
            (provider.assertion(#""exp": \#(Self.now - 120)"#), "assertion_expired"),
            (provider.assertion(#""exp": null"#), "assertion_expiry_missing"),
            (provider.assertion(#""jti": null"#), "assertion_malformed"),
            (provider.assertion(#""iat": null"#), "assertion_malformed"),
            (provider.assertion(#""act": {"client": "x"}"#), "assertion_malformed"),
            (provider.assertion(#""authorization_details": [{"type": "x"}]"#), "assertion_malformed"),
            (provider.assertion(#""sub": null"#), "assertion_username_missing"),
            (provider.assertion(#""iss": "https://elsewhere.example.com""#), "assertion_issuer_unknown"),
            (provider.assertion(signer: stranger), "assertion_signature_invalid"),
            (provider.assertion(#""cnf": {"jkt": "x"}"#), "assertion_proof_required"),
            ("a.b", "assertion_malformed"),
        ]
        let types = ["JWT", "at+jwt", "application/oauth-id-jag+jwt", "OAUTH-ID-JAG+JWT", "logout+jwt"]
        let others = types.map { (provider.assertion(type: $0), "assertion_type_wrong") }
        for (assertion, reason) in cases + others {
            let response = try fixture.present(assertion)
            #expect(try refusal(fixture, response) == "invalid_grant \(reason)")
        }
        // Which check has failed, the operator sees.
        let line = fixture.gateway.waitForAccess { $0["reason"].string == "assertion_client_wrong" }
        #expect(line != nil && !fixture.gateway.everythingWritten.contains("Authorization"))
    }

    @Test("an assertion counts once, at all gateways")
    func replayed() throws {
        let provider = try AssertionProvider()
        let nodes = try SharedStoreNodes { settings in
            let service = settings["tokenService"]?.dropLast() ?? "{"
            provider.prepare(&settings)
            settings["tokenService"] = service + #", "scopes": ["read", "write"]}"#
        }
        let assertion = provider.assertion()
        // Another mistake does not use it up.
        let form = Fixture.identityAssertionForm(assertion)
        #expect(try nodes.grant(nodes.gateways[0], form + "&scope=none", client: "agent:s").status == 400)
        let statuses = Monitor<[Int]>([])
        for number in 0..<6 {
            let gateway = nodes.gateways[number % 2]
            Thread.detachNewThread {
                let status = try? nodes.grant(gateway, form, client: "agent:s").status
                statuses.withLock { $0.append(status ?? 0) }
            }
        }
        let seen = statuses.wait { $0.count == 6 ? $0 : nil }
        #expect(seen?.sorted() == [200, 400, 400, 400, 400, 400], "\(seen ?? [])")
        #expect(nodes.gateways[0].waitForAccess { $0["reason"].string == "assertion_used_before" } != nil)
        #expect(nodes.gateways[1].waitForAccess { $0["reason"].string == "assertion_used_before" } != nil)
    }

    @Test("assertion, client and request each limit the scope")
    func scopes() throws {
        let provider = try AssertionProvider()
        let fixture = try fixture(provider)
        // Scope of the assertion and of the request, and what is granted.
        let cases: [(String?, String?, String?)] = [
            (nil, nil, ""), (nil, "read admin", "read"), ("read", nil, "read"), ("read admin", nil, "read"),
            ("read", "read write", "read"), ("read write", "write", "write"), ("read", "write", nil),
            ("admin", nil, nil), ("read", "admin", nil), ("", nil, ""), ("", "read", nil), (nil, "none", nil),
        ]
        for (claim, asked, granted) in cases {
            let assertion = provider.assertion(claim.map { #""scope": "\#($0)""# } ?? "")
            let response = try fixture.present(assertion, asked.map { [("scope", $0)] } ?? [])
            guard let granted else {
                #expect(
                    try refusal(fixture, response) == "invalid_scope invalid_scope", "\(claim ?? "") \(asked ?? "")")
                continue
            }
            #expect(JSONText(response.text)["scope"].string ?? "" == granted, "\(claim ?? "-") \(asked ?? "-")")
            let token = try #require(JSONText(response.text)["access_token"].string, "\(response.text)")
            let status = try fixture.request("GET", "/write", [.bearer(token)]).status
            #expect(status == (granted.contains("write") ? 200 : 403))
        }
        let array = try fixture.present(provider.assertion(#""scope": ["read"]"#))
        #expect(JSONText(array.text)["error"].string == "invalid_scope")
    }

    @Test("assertion and request limit the token to resources")
    func resources() throws {
        let provider = try AssertionProvider()
        let fixture = try fixture(provider)
        func statuses(_ claim: String, _ asked: String...) throws -> [Int]? {
            let response = try fixture.present(provider.assertion(claim), asked.map { ("resource", $0) })
            guard response.status == 200 else {
                #expect(try refusal(fixture, response) == "invalid_target invalid_target")
                return nil
            }
            let token = try #require(JSONText(response.text)["access_token"].string)
            return try ["/mcp/a", "/reports/1", "/plain"].map {
                try fixture.request("GET", $0, [.bearer(token)]).status
            }
        }
        #expect(try statuses("") == [200, 200, 200])
        #expect(try statuses("", Self.tools) == [200, 401, 401])
        #expect(try statuses(#""resource": "\#(Self.tools)""#) == [200, 401, 401])
        let both = #""resource": ["\#(Self.tools)", "\#(Self.reports)", "https://elsewhere.example.com"]"#
        #expect(try statuses(both) == [200, 200, 401])
        #expect(try statuses(both, Self.reports) == [401, 200, 401])
        #expect(try statuses(#""resource": "\#(Self.tools)""#, Self.reports) == nil)
        #expect(try statuses(#""resource": "\#(Self.tools)""#, Self.tools, Self.reports) == nil)
        #expect(try statuses(#""resource": "https://elsewhere.example.com""#) == nil)
        #expect(try statuses(#""resource": []"#) == nil)
        #expect(try statuses("", "https://elsewhere.example.com") == nil)
    }

    @Test("only clients with a credential for which the issuer is listed exchange assertions")
    func clients() throws {
        let provider = try AssertionProvider()
        let fixture = try Fixture { settings in
            provider.prepare(&settings)
            let second = provider.entry().replacing("corporate", with: "second").replacing(
                "\"issuer\": \"\(provider.server.url)\"", with: "\"issuer\": \"https://second.example.com\"")
            settings["trustedIssuers"] = "[\(provider.entry()), \(second)]"
            settings["clients"] = settings["clients"]?.replacing(
                #""other", "clientSecret": "s", "identityAssertionIssuers": ["corporate"]"#,
                with: #""other", "clientSecret": "s", "identityAssertionIssuers": ["second"]"#)
        }
        let plain = try fixture.present(provider.assertion(#""client_id": "plain""#), client: "plain:s")
        #expect(try refusal(fixture, plain) == "unauthorized_client grant_not_allowed")
        let unlisted = try fixture.present(provider.assertion(#""client_id": "other""#), client: "other:s")
        #expect(try refusal(fixture, unlisted) == "unauthorized_client assertion_client_not_allowed")
        let form: Field = "Content-Type: application/x-www-form-urlencoded"
        let body = Fixture.identityAssertionForm(provider.assertion(#""client_id": "app""#), [("client_id", "app")])
        let open = try fixture.request("POST", "/oauth2/token", [form], body: body)
        #expect(try refusal(fixture, open) == "unauthorized_client grant_not_allowed")
        let named = Fixture.identityAssertionForm(provider.assertion(), [("client_id", "agent")])
        #expect(try fixture.request("POST", "/oauth2/token", [form], body: named).status == 401)
        #expect(try fixture.present(provider.assertion(), client: "agent:wrong").status == 401)
        // Without any such client the grant is unknown.
        let none = try Fixture { $0["tokenService"] = #"{"scopes": ["read"]}"# }
        let unknown = try none.present(provider.assertion(), client: "inv-client:inv-secret")
        #expect(JSONText(unknown.text)["error"].string == "unsupported_grant_type")
        let document = JSONText(try none.request("GET", "/.well-known/oauth-authorization-server").text)
        #expect(!document["authorization_grant_profiles_supported"].exists)
    }

    @Test("an assertion is no other credential, and another token is no assertion")
    func confusion() throws {
        let provider = try AssertionProvider()
        // The issuer whose access tokens open routes, and which has assertions for clients as well.
        let outside = try OutsideIssuer()
        let fixture = try Fixture(
            exchanging: OutsideIssuer.configuration(OutsideIssuer.entry(#""virtualUserEnabled": true"#)), outside,
            { settings in
                provider.prepare(&settings)
                let both = provider.entry(#""audience": ["http://gw.example.com"], "acceptIdTokens": true"#)
                settings["trustedIssuers"] = "[\(both)]"
                settings["backends"] = FixtureSettings.backends.replacing(
                    #""clientSecret": "inv-secret""#,
                    with: #""clientSecret": "inv-secret", "tokenExchange": {"subjects": []}"#)
            })
        let access = provider.assertion(type: "at+jwt")
        #expect(try fixture.request("GET", "/plain", [.bearer(access)]).status == 200)
        #expect(try refusal(fixture, fixture.present(access)) == "invalid_grant assertion_type_wrong")
        let assertion = provider.assertion()
        #expect(try fixture.request("GET", "/plain", [.bearer(assertion)]).status == 401)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "wrong_token_type" } != nil)
        let exchange = """
            grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=\(assertion)\
            &subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt
            """
        let exchanged = try fixture.grant(exchange)
        #expect(JSONText(exchanged.text)["error"].string == "invalid_request", "\(exchanged.text)")
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        let form = Fixture.identityAssertionForm(
            assertion, [("client_assertion", assertion), ("client_assertion_type", type)])
        let client = try fixture.request(
            "POST", "/oauth2/token", ["Content-Type: application/x-www-form-urlencoded"], body: form)
        #expect(client.status == 401, "\(client.text)")
        #expect(try fixture.exchange(assertion).status == 400)
        // The grant of these clients is not for tokens of other issuers.
        let token = try outside.token(#""sub": "zoe""#)
        let foreign = try fixture.exchange(token, [.basic("agent:s")])
        let reason = try refusal(fixture, foreign)
        #expect(reason.hasSuffix("assertion_client_not_allowed"), "\(reason)")
        #expect(try fixture.exchange(token).status == 200)
        // None of this has used it up.
        #expect(try fixture.present(assertion).status == 200)
        // With its own type, the issuer opens no route at all.
        let alone = try self.fixture(provider)
        #expect(try alone.request("GET", "/plain", [.bearer(access)]).status == 401)
        let resource = try alone.request("GET", "/.well-known/oauth-protected-resource/mcp")
        #expect(JSONText(resource.text)["authorization_servers"].strings == ["http://gw.example.com"])
    }

    @Test("a bound assertion needs a proof of its key, and its token has that key")
    func bound() throws {
        let provider = try AssertionProvider()
        let fixture = try fixture(provider, #""tokenType": "oauth-id-jag+jwt", "proof": "required""#)
        let (maker, stranger) = (ProofMaker(), ProofMaker())
        let assertion = provider.assertion(#""cnf": {"jkt": "\#(maker.jkt)"}"#)
        func present(_ maker: ProofMaker, _ assertion: String) throws -> Response {
            let proof = maker.proof("http://gw.example.com/oauth2/token", "POST", at: Int64(Self.now))
            return try fixture.request(
                "POST", "/oauth2/token",
                [
                    .basic("agent:s"), "Content-Type: application/x-www-form-urlencoded",
                    Field(name: "DPoP", value: proof),
                ], body: Fixture.identityAssertionForm(assertion))
        }
        let missing = "invalid_grant assertion_proof_required"
        #expect(try refusal(fixture, fixture.present(assertion)) == missing)
        #expect(try refusal(fixture, present(stranger, assertion)) == missing)
        #expect(try refusal(fixture, fixture.present(provider.assertion())) == missing)
        let response = try present(maker, assertion)
        #expect(JSONText(response.text)["token_type"].string == "DPoP", "\(response.text)")
    }

    @Test("users with accounts, revocations and the realm count as for other tokens of the issuer")
    func users() throws {
        let provider = try AssertionProvider()
        let members = #""tokenType": "oauth-id-jag+jwt", "usernameAttribute": "email", "userMappingAttribute": "mail""#
        let fixture = try Fixture { settings in
            provider.prepare(&settings)
            settings["trustedIssuers"] = "[\(provider.entry(members))]".replacing(
                #""virtualUserEnabled": true"#, with: #""virtualUserEnabled": false"#)
        }
        let response = try fixture.present(provider.assertion(#""email": "joe@example.com""#))
        let token = try #require(JSONText(response.text)["access_token"].string, "\(response.text)")
        #expect(try fixture.request("GET", "/plain", [.bearer(token)]).status == 200)
        let request = try fixture.lastRequest("/plain")
        #expect(request.only("X-Gateway-User") == "joe" && request.only("X-Gateway-Roles") == "Manager")
        let unknown = try fixture.present(provider.assertion(#""email": "zoe@example.com""#))
        #expect(try refusal(fixture, unknown) == "invalid_grant assertion_user_unknown")
        // Revoked by its id, an assertion gets no token, and a token that it has got ends.
        let ids = ["first", "second"]
        let first = try fixture.present(provider.assertion(#""email": "joe@example.com", "jti": "\#(ids[0])""#))
        let derived = try #require(JSONText(first.text)["access_token"].string)
        for id in ids {
            #expect(try fixture.admin("POST", "/admin/revocations", body: #"{"jti": "\#(id)"}"#).status < 300)
        }
        #expect(try fixture.request("GET", "/plain", [.bearer(derived)]).status == 401)
        let second = try fixture.present(provider.assertion(#""email": "joe@example.com", "jti": "\#(ids[1])""#))
        #expect(try refusal(fixture, second) == "invalid_grant assertion_revoked")
    }

    @Test(
        "a client of the MCP SDK presents an assertion for the server and calls a tool",
        .enabled(if: ChromiumWalk.python != nil))
    func sdk() throws {
        let python = try #require(ChromiumWalk.python)
        func script(_ name: String) -> String { Vectors.root.appending(path: "Tests/Interop/\(name)").path }
        let server = try Program(python, [script("mcp_server.py")])
        defer { server.signal(SIGTERM) }
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        let provider = try AssertionProvider()
        // The client compares issuer and resource with the addresses that it uses.
        let own = PeerListener().port
        let fixture = try Fixture {
            provider.prepare(&$0)
            $0["baseUrl"] = #""http://127.0.0.1:\#(own)""#
            $0["listeners"] = #"[{"name": "public", "address": "127.0.0.1", "port": \#(own)}]"#
            $0["upstreams"] = #"{"stub": {"url": "http://127.0.0.1:\#(port)"}}"#
            $0.addRoutes(
                #"""
                {"path": "/mcp", "upstream": "stub", "issuers": ["local"], "protectedResource": true, "scopes": ["read"],
                 "mcp": {"tools": {"add": {}, "remove": {"scopes": ["write"]}}}}
                """#)
        }
        let result = try Program.run(
            python, [script("mcp_identity.py"), "http://127.0.0.1:\(own)", provider.server.url], .after(.seconds(60)))
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)\n\(fixture.gateway.everythingWritten)")
        #expect(result.output.split(separator: "\n").count == 3, "\(result.output)")
    }

    @Test("the check names entries that do not fit together")
    func check() throws {
        let provider = try AssertionProvider()
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        provider.prepare(&settings)
        settings["trustedIssuers"] = """
            [\(provider.entry(#""tokenType": "oauth-id-jag+jwt", "audience": ["api"]"#)),
             {"name": "opaque", "issuer": "https://opaque.example.com", "audience": ["api"],
              "introspection": {"url": "https://opaque.example.com/i", "clientId": "g", "clientSecret": "s", "tokenPrefix": "o_"}}]
            """
        settings["clients"] = FixtureSettings.list([
            #"{"clientId": "a", "clientSecret": "s", "identityAssertionIssuers": ["opaque", "missing", "local"]}"#,
            #"{"clientId": "b", "public": true, "redirectUris": ["http://127.0.0.1:1/cb"], "identityAssertionIssuers": ["corporate"]}"#,
        ])
        settings.addRoutes(#"{"path": "/only/**", "upstream": "stub", "issuers": ["corporate"]}"#)
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let errors = try CommandLine.run("check", directory.path).errors
        for message in [
            #"/trustedIssuers/0/audience: "#,
            #"/clients/0/identityAssertionIssuers/0: "opaque" signs no identity assertions"#,
            #"/clients/0/identityAssertionIssuers/1: unknown trusted issuer "missing""#,
            #"/clients/0/identityAssertionIssuers/2: "local" signs no identity assertions"#,
            "/clients/1/identityAssertionIssuers: ", #"/routes/0/issuers: no token of "corporate" opens a route"#,
        ] {
            #expect(errors.contains(message), "\(message) in \(errors)")
        }
    }
}
