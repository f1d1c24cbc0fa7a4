import Foundation
import TestSupport
import Testing

/// Tokens that are bound to a key (DPoP, RFC 9449) or a certificate (RFC 8705): the running gateway.
@Suite struct BoundTokenTests {
    private static let origin = "http://gw.example.com"

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// A client with a key, and a token that is bound to it.
    private struct Client {
        let maker = ProofMaker()
        let token: String

        init(_ fixture: Fixture, _ form: String = "grant_type=password&username=joe&password=Welcome1") throws {
            let proof = maker.proof("\(BoundTokenTests.origin)/oauth2/token", "POST", at: BoundTokenTests.now)
            let response = try fixture.request(
                "POST", "/oauth2/token",
                [
                    .basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded",
                    Field(name: "DPoP", value: proof),
                ], body: form)
            let reply = JSONText(response.text)
            try #require(reply["token_type"].string == "DPoP", "\(response.text)")
            token = try #require(reply["access_token"].string)
        }

        var authorization: Field { Field(name: "Authorization", value: "DPoP \(token)") }

        func proof(_ path: String, _ method: String = "GET", origin: String = BoundTokenTests.origin) -> Field {
            Field(name: "DPoP", value: maker.proof(origin + path, method, at: BoundTokenTests.now, token: token))
        }
    }

    private func denied(_ fixture: Fixture, _ reason: String) throws -> Double {
        try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": reason]) ?? 0
    }

    @Test("a token of the token endpoint opens routes with a proof, and only so")
    func proofs() throws {
        let fixture = try Fixture {
            $0.addRoutes(#"{"path": "/passed", "upstream": "stub", "forwardCredential": true}"#)
        }
        let client = try Client(fixture)
        let proof = client.proof("/plain")
        #expect(try fixture.request("GET", "/plain", [client.authorization, proof]).status == 200)
        let sent = try fixture.lastRequest("/plain").head.fields.map { $0.name.lowercased() }
        #expect(!sent.contains("dpop") && !sent.contains("authorization"))
        let replay = try fixture.request("GET", "/plain", [client.authorization, proof])
        #expect(replay.status == 401)
        #expect(
            replay.only("WWW-Authenticate")?.hasPrefix(#"DPoP realm="portcullis", algs="RS256 "#) == true
                && replay.only("WWW-Authenticate")?.contains(#"error="invalid_dpop_proof""#) == true)
        let wrong: [(String, [Field])] = [
            ("dpop_proof_missing", [client.authorization]),
            ("dpop_scheme_wrong", [.bearer(client.token), client.proof("/plain")]),
            ("dpop_proof_repeated", [client.authorization, client.proof("/plain"), client.proof("/plain")]),
            ("dpop_request_wrong", [client.authorization, client.proof("/plain", "POST")]),
            ("dpop_request_wrong", [client.authorization, client.proof("/other")]),
            ("dpop_request_wrong", [client.authorization, client.proof("/plain", origin: "https://gw.example.com")]),
            ("dpop_key_wrong", [client.authorization, try Client(fixture).proof("/plain")]),
        ]
        for (reason, fields) in wrong {
            let before = try denied(fixture, reason)
            #expect(try fixture.request("GET", "/plain", fields).status == 401, "\(reason)")
            #expect(try denied(fixture, reason) == before + 1, "\(reason)")
        }
        #expect(fixture.upstream.requests("/plain").count == 1)
        // `Connection` cannot take the proof away from an upstream that gets the token.
        let passed = [client.authorization, client.proof("/passed"), "Connection: DPoP"]
        #expect(try fixture.request("GET", "/passed", passed).status == 200)
        let names = try fixture.lastRequest("/passed").head.fields.map { $0.name.lowercased() }
        #expect(names.contains("dpop") && names.contains("authorization"))
        // Nor is there another proof for an upstream that reads names more loosely.
        let imitations: [Field] = ["D-PoP: a", "D_PoP: a", "DPoP_: a", "HTTP_DPOP: a"]
        #expect(
            try fixture.request("GET", "/passed", [client.authorization, client.proof("/passed")] + imitations).status
                == 200)
        #expect(try fixture.lastRequest("/passed").head.fields.filter { $0.value == "a" }.isEmpty)
    }

    @Test("an endpoint of the gateway takes bound tokens like a route")
    func endpoint() throws {
        let fixture = try Fixture()
        let client = try Client(fixture)
        let path = "/mobile/platform/users/~"
        #expect(try fixture.request("GET", path, [client.authorization, client.proof(path)]).status == 200)
        let refused = try fixture.request("GET", path, [client.authorization])
        #expect(refused.status == 401 && refused.only("WWW-Authenticate")?.hasPrefix("DPoP ") == true)
    }

    @Test("a route that requires bound tokens, and an issuer")
    func required() throws {
        let fixture = try Fixture {
            let sources = #""tokenSources": [{"header": "Authorization", "scheme": "DPoP"}]"#
            $0.addRoutes(
                #"{"path": "/bound", "upstream": "stub", "proof": "required"}"#,
                #"{"path": "/source", "upstream": "stub", \#(sources)}"#,
                #"{"path": "/listed", "upstream": "stub", "authenticators": ["bearer"], \#(sources)}"#)
        }
        let client = try Client(fixture)
        // The scheme is for bound tokens alone, also where it is a place for tokens.
        for path in ["/source", "/listed"] {
            let plain = Field(name: "Authorization", value: "DPoP \(try fixture.token("joe"))")
            #expect(try fixture.request("GET", path, [plain]).status == 401)
            #expect(try fixture.request("GET", path, [client.authorization]).status == 401)
            #expect(try fixture.request("GET", path, [client.authorization, client.proof(path)]).status == 200)
        }
        let refused = try fixture.request("GET", "/bound", [.bearer(fixture.token("joe"))])
        #expect(refused.status == 401 && refused.only("WWW-Authenticate")?.hasPrefix("DPoP ") == true)
        #expect(try denied(fixture, "token_unbound") == 1)
        let challenge = try #require(fixture.request("GET", "/bound").only("WWW-Authenticate"))
        #expect(Vectors.text("config/guides/bound-tokens.md").contains("\nWWW-Authenticate: \(challenge)\n"))
        #expect(try fixture.request("GET", "/bound", [client.authorization, client.proof("/bound")]).status == 200)
    }

    @Test("proofs count once over all workers and reloads")
    func reloads() throws {
        let fixture = try Fixture()
        let client = try Client(fixture)
        let proof = client.proof("/plain")
        #expect(try fixture.request("GET", "/plain", [client.authorization, proof]).status == 200)
        for _ in 0..<8 { #expect(try fixture.request("GET", "/plain", [client.authorization, proof]).status == 401) }
        try fixture.reload { $0["dpop"] = #"{"proofLifetime": "120s"}"# }
        #expect(try fixture.request("GET", "/plain", [client.authorization, proof]).status == 401)
        #expect(try denied(fixture, "dpop_replayed") == 9)
    }

    @Test("another proxy's request is the one that the proof must be for")
    func forwardAuth() throws {
        let fixture = try ForwardAuthFixture.make {
            $0["additionalBaseUrls"] = #"["https://shop.example.com"]"#
        }
        let client = try Client(fixture)
        let shop = "https://shop.example.com"
        let good = [client.authorization, client.proof("/plain", origin: shop)]
        #expect(try fixture.ask("GET", "/plain", good).status == 200)
        #expect(try fixture.reason(of: fixture.ask("GET", "/plain", good)) == "dpop_replayed")
        for proof in [
            client.proof("/_auth", origin: shop), client.proof("/plain"), client.proof("/plain", "POST", origin: shop),
        ] {
            #expect(
                try fixture.reason(of: fixture.ask("GET", "/plain", [client.authorization, proof]))
                    == "dpop_request_wrong")
        }
    }

    @Test("over HTTP/2")
    func http2() throws {
        let secure = try SecureFixture { $0["baseUrl"] = #""https://gw.example.com""# }
        let maker = ProofMaker()
        func curl(_ path: String, _ url: String, _ method: String, token: String?, _ arguments: String...) throws
            -> CurlAnswer
        {
            let proof = maker.proof("https://gw.example.com\(url)", method, at: Self.now, token: token)
            let own = token.map { ["-H", "Authorization: DPoP \($0)"] } ?? []
            return try secure.curl(["--http2", "-H", "DPoP: \(proof)"] + own + arguments, path)
        }
        let granted = try curl(
            "/oauth2/token", "/oauth2/token", "POST", token: nil, "-u", "inv-client:inv-secret", "-d",
            "grant_type=password&username=joe&password=Welcome1")
        let token = try #require(JSONText(granted.body)["access_token"].string, "\(granted.body)")
        let answer = try curl("/plain", "/plain", "GET", token: token)
        #expect(answer.status == 200 && answer.version == "HTTP/2")
        #expect(try curl("/plain", "/other", "GET", token: token).status == 401)
        #expect(try secure.denied("dpop_request_wrong") == 1)
    }

    @Test("tokens that are bound to a certificate, of the token endpoint to the route")
    func certificates() throws {
        let certificates = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        for name in ["a", "b"] { try TLSClientTests.issue(name, by: "authority", in: certificates) }
        let secure = try SecureFixture(
            tls: #""clientAuth": "optional", "clientCaFile": "\#(certificates.path)/authority/cert.pem", "#
        ) {
            $0["backends"] = FixtureSettings.backends.replacing(
                #""enableSso": true"#, with: #""tlsClientCertificateBoundAccessTokens": true"#)
        }
        func ask(_ path: String, as name: String?, _ arguments: String...) throws -> CurlAnswer {
            let own = name.map {
                ["--cert", "\(certificates.path)/\($0).pem", "--key", "\(certificates.path)/\($0).key"]
            }
            return try secure.curl((own ?? []) + arguments, path)
        }
        func grant(as name: String?) throws -> CurlAnswer {
            try ask(
                "/oauth2/token", as: name, "-u", "inv-client:inv-secret", "-d",
                "grant_type=password&username=joe&password=Welcome1")
        }
        #expect(try grant(as: nil).status == 400)
        let granted = try grant(as: "a")
        let token = try #require(JSONText(granted.body)["access_token"].string, "\(granted.body)")
        #expect(JSONText(granted.body)["token_type"].string == "Bearer")
        let bearer = "Authorization: Bearer \(token)"
        for version in ["--http1.1", "--http2"] {
            #expect(try ask("/plain", as: "a", "-H", bearer, version).status == 200)
            #expect(try ask("/plain", as: "b", "-H", bearer, version).status == 401)
            #expect(try ask("/plain", as: nil, "-H", bearer, version).status == 401)
        }
        #expect(try secure.denied("token_certificate_wrong") == 4)
        // A proxy's certificate is not its clients'.
        try secure.rewrite { "{ \"trustedProxies\": [\"127.0.0.1\"]," + $0.trimmingPrefix(/\s*\{/) }
        #expect(try ask("/plain", as: "a", "-H", bearer).status == 401)
        #expect(try grant(as: "a").status == 400)
    }

    @Test(
        "a client of joserfc with nonces, three kinds of keys and a WebSocket",
        .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil))
    func python() throws {
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        func script(_ name: String) -> String { Vectors.root.appending(path: "Tests/Interop/\(name)").path }
        let server = try Program(python, [script("websocket_echo.py")])
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        let fixture = try Fixture {
            $0["dpop"] = #"{"nonce": true}"#
            $0["upstreams"] = $0["upstreams"]?.replacing(
                "}}", with: #"}, "echo": {"url": "http://127.0.0.1:\#(port)"}}"#)
            $0.addRoutes(#"{"path": "/ws", "upstream": "echo"}"#)
        }
        let url = "http://127.0.0.1:\(try fixture.gateway.port())"
        let result = try Program.run(python, [script("dpop_client.py"), url, Self.origin])
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)")
        #expect(result.output.split(separator: "\n").count == 4, "\(result.output)")
    }
}
