import Crypto
import Foundation
import JOSE
import Model
import TestSupport
import Testing

/// An MCP server behind the gateway as people set it up: by `init` and the guide, with the clients that there are.
@Suite struct MessageAccessTests {
    private static let json: Field = "Content-Type: application/json"
    private static let call =
        #"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {}}}"#

    private static func script(_ name: String) -> String { Vectors.root.appending(path: "Tests/Interop/\(name)").path }

    /// Runs a command of the guide for a directory that does not exist yet.
    private func make(_ mark: String, upstream: String, issuer: String = "") throws -> (GatewayProcess, String) {
        let page = Vectors.text("config/guides/mcp.md")
        let line = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("portcullis init mine") && $0.contains(mark) })
        let directory = ConfigurationDirectory("mine", in: try ConfigurationDirectory())
        let words = line.replacing("http://127.0.0.1:9000", with: upstream)
            .replacing("https://idp.example.com/realms/shop", with: issuer)
            .replacing(" mine ", with: " \(directory.path) ").split(separator: " ").dropFirst().map(String.init)
        let result = try Program.run(GatewayProcess.binary, words)
        try #require(result.ending == .exit(0), "\(result.errors)")
        let checked = try CommandLine.run("check", directory.path)
        #expect(
            checked.output.hasSuffix(issuer.isEmpty ? ": 0 errors, 1 warning" : ": 0 errors, 0 warnings"),
            "\(checked.errors)")
        let admin = #""adminToken": "file:admin-token""#
        // The base URL has the port as well.
        let port = PeerListener().port
        try directory.write(
            "gateway.jsonc",
            directory.read("gateway.jsonc").replacing("8080", with: "\(port)")
                .replacing(#""port": \#(port)"#, with: #""port": \#(port), "name": "public""#)
                .replacing(admin, with: #""port": 0, \#(admin)"#))
        return (try GatewayProcess(directory), result.output)
    }

    private static func parameter(_ name: String, _ response: Response) throws -> String {
        let challenge = try #require(response.only("WWW-Authenticate"))
        let begin = try #require(challenge.range(of: "\(name)=\""), "\(challenge)")
        return String(challenge[begin.upperBound...].prefix { $0 != "\"" })
    }

    @Test("the guide's commands make a gateway at which a client registers, and its user logs in")
    func guide() throws {
        let upstream = try StubUpstream()
        upstream.on("/mcp") { _ in [.reply("200 OK", ["Content-Type: application/json"], body: "{}")] }
        let (gateway, said) = try make("--mcp --upstream", upstream: upstream.url)
        let password = try #require(said.firstMatch(of: /password ([A-Za-z0-9_-]+),/)).1
        #expect(said.contains("add http://127.0.0.1:8080/mcp to an MCP client"))
        func post(_ path: String, _ fields: [Field], _ body: String) throws -> Response {
            try gateway.request("POST", path, fields, body: body)
        }
        let refused = try post("/mcp", [Self.json], Self.call)
        #expect(refused.status == 401)
        let url = try Self.parameter("resource_metadata", refused)
        #expect(try url == "http://127.0.0.1:\(gateway.port())/.well-known/oauth-protected-resource/mcp")
        let client = try post(
            "/oauth2/register", [Self.json],
            #"{"redirect_uris": ["http://127.0.0.1:4711/cb"], "token_endpoint_auth_method": "none", "scope": "tools"}"#)
        let id = try #require(JSONText(client.text)["client_id"].string, "\(client.text)")
        let jar = CookieJar(gateway)
        let link = AuthorizationFixture.link(id, "http://127.0.0.1:4711/cb", "&state=s&scope=tools")
        let form = try #require(jar.send("GET", link).only("Location"))
        let loggedIn = try jar.fill(jar.send("GET", form), form, "username=admin&password=\(password)")
        let page = try jar.send("GET", #require(loggedIn.only("Location"), "\(loggedIn.text)"))
        let code = try #require(AuthorizationFixture.parameter("code", jar.decide(page)))
        let token = try post(
            "/oauth2/token", ["Content-Type: application/x-www-form-urlencoded"],
            "grant_type=authorization_code&code=\(code)&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcb"
                + "&code_verifier=\(AuthorizationFixture.verifier)&client_id=\(id)")
        let bearer = try #require(JSONText(token.text)["access_token"].string, "\(token.text)")
        #expect(try post("/mcp", [Self.json, .bearer(bearer)], Self.call).status == 200)
        #expect(try post("/other", [Self.json, .bearer(bearer)], Self.call).status == 404)
    }

    @Test("with a provider, tokens for the URL of the server open it")
    func outside() throws {
        let (upstream, provider) = (try StubUpstream(), try StubUpstream())
        let url = provider.url
        let signer = JWTSigner(key: SigningKey.generate(.es256), keyID: "a")
        let keys = String(decoding: KeySet(keys: [signer.publishedKey]).jwks(), as: UTF8.self)
        provider.on("/.well-known/openid-configuration") { _ in
            [.reply(body: #"{"issuer": "\#(url)", "jwks_uri": "\#(url)/keys"}"#)]
        }
        provider.on("/keys") { _ in [.reply(body: keys)] }
        let (gateway, _) = try make("--oidc", upstream: upstream.url, issuer: url)
        _ = try #require(gateway.waitForEvent("keys_fetched"), "\(gateway.everythingWritten)")
        let port = try gateway.port()
        for (audience, status) in [("mcp", 200), ("other", 401)] {
            let end = Int(Date().timeIntervalSince1970) + 60
            let claims = #"{"iss":"\#(url)","aud":"http://127.0.0.1:\#(port)/\#(audience)","sub":"jo","exp":\#(end)}"#
            let token = String(decoding: signer.sign(claims: Array(claims.utf8), type: "JWT"), as: UTF8.self)
            let answer = try gateway.request(
                "POST", "/mcp", [Self.json, .bearer(token)], body: Self.call)
            #expect(answer.status == status, "\(answer.text)")
        }
    }

    @Test(
        "a client of the MCP SDK registers or has a URL as its id, lists and calls tools, and asks for more scopes",
        .enabled(if: ChromiumWalk.python != nil), arguments: [false, true])
    func sdk(_ hasDocument: Bool) throws {
        let python = try #require(ChromiumWalk.python)
        let server = try Program(python, [Self.script("mcp_server.py")])
        defer { server.signal(SIGTERM) }
        let port = try #require(server.wait(.output) { $0.first }, "\(server.lines(.errors))")
        // The client compares the resource with the address that it uses.
        let own = PeerListener().port
        let documents = hasDocument ? try DocumentServer() : nil
        try documents?.serve("client.json", documents?.document(redirect: "http://127.0.0.1:53683/callback"))
        let fixture = try Fixture {
            if let documents { documents.prepare(&$0) } else { ClientRegistrationTests.prepare(&$0, #""open": true"#) }
            $0["baseUrl"] = #""http://127.0.0.1:\#(own)""#
            $0["listeners"] = #"[{"name": "public", "address": "127.0.0.1", "port": \#(own)}]"#
            $0["tokenService"] = $0["tokenService"]?.replacing(#"["orders"]"#, with: #"["tools", "write"]"#)
                .replacing(#""orders": "See your orders""#, with: #""write": "Change things""#)
            $0["upstreams"] = #"{"stub": {"url": "http://127.0.0.1:\#(port)"}}"#
            $0.addRoutes(
                #"""
                {"path": "/mcp/**", "upstream": "stub", "issuers": ["local"], "protectedResource": true, "scopes": ["tools"],
                 "mcp": {"tools": {"add": {}, "remove": {"scopes": ["write"]}}}}
                """#)
        }
        let result = try Program.run(
            python,
            [Self.script("mcp_client.py"), "http://127.0.0.1:\(own)", "joe", "Welcome1"]
                + (documents.map { [try $0.id()] } ?? []), .after(.seconds(60)))
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)\n\(fixture.gateway.everythingWritten)")
        #expect(result.output.split(separator: "\n").count == 6, "\(result.output)")
        if let documents { #expect(documents.fetches() == 1) }
    }

    @Test("pages send and read the fields of MCP, and read metadata and keys of any origin")
    func pages() throws {
        let fixture = try Fixture {
            $0.addRoutes(
                #"""
                {"path": "/mcp", "upstream": "stub", "protectedResource": true, "mcp": {"tools": {"search": {"scopes": ["x"]}}},
                 "cors": {"preset": "mcp", "allowOrigins": ["https://app.example.com"], "exposeHeaders": ["X-More"]}}
                """#)
        }
        let page = Field.origin("https://app.example.com")
        let asked = "mcp-session-id,mcp-protocol-version,mcp-method,mcp-name,last-event-id,authorization,content-type"
        let preflight = try fixture.request(
            "OPTIONS", "/mcp",
            [page, "Access-Control-Request-Method: POST", Field(name: "Access-Control-Request-Headers", value: asked)])
        #expect(
            preflight.status == 204
                && preflight.only("Access-Control-Allow-Headers")?.lowercased() == asked.replacing(",", with: ", "),
            "\(preflight.head)")
        let refused = try fixture.request(
            "POST", "/mcp", [page, Self.json, .bearer(fixture.token("joe"))], body: Self.call)
        #expect(refused.status == 403 && refused.only("Access-Control-Allow-Origin") == "https://app.example.com")
        #expect(refused.only("Access-Control-Expose-Headers") == "Mcp-Session-Id, WWW-Authenticate, X-More")
        let foreign = Field.origin("https://anywhere.example")
        for path in ["oauth-protected-resource/mcp", "oauth-authorization-server", "openid-configuration", "jwks.json"]
        {
            let document = try fixture.request("GET", "/.well-known/\(path)", [foreign])
            #expect(document.status == 200 && document.values("Access-Control-Allow-Origin") == ["*"], "\(path)")
            let preflight = try fixture.request(
                "OPTIONS", "/.well-known/\(path)",
                [foreign, "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: mcp-protocol-version"])
            #expect(preflight.status == 204 && preflight.only("Access-Control-Allow-Headers") == "*", "\(path)")
        }
    }

    @Test("log and metrics have tool and client; names without a rule are one in metrics")
    func records() throws {
        let fixture = try Fixture {
            $0.addRoutes(#"{"path": "/mcp", "name": "tools", "upstream": "stub", "mcp": {"tools": {"se*": {}}}}"#)
        }
        let token = try fixture.mint("joe")
        for tool in ["search", "x1", "x2"] {
            _ = try fixture.request(
                "POST", "/mcp", [Self.json, .bearer(token)], body: Self.call.replacing("search", with: tool))
        }
        let line = try #require(fixture.gateway.waitForAccess { $0["tool"].string == "search" })
        #expect(line["mcp_method"].string == "tools/call" && line["client_id"].string == "inv-client")
        let denied = try #require(fixture.gateway.waitForAccess { $0["tool"].string == "x2" })
        #expect(denied["reason"].string == "tool_not_allowed" && denied["decision"].string == "denied")
        let metrics = try fixture.gateway.metrics()
        let name = "portcullis_mcp_requests_total"
        let labels = ["route": "tools", "kind": "tool", "client": "inventory/1.0"]
        #expect(metrics.sum(name, labels.merging(["name": "se*", "decision": "allowed"]) { $1 }) == 1)
        #expect(metrics.sum(name, labels.merging(["name": "other", "decision": "denied"]) { $1 }) == 2)
        try fixture.gateway.configuration.write("token", token)
        let directory = fixture.gateway.configuration.path
        let explained = try CommandLine.run(
            "explain", "POST", "/mcp", "--config", directory, "--token-file", "\(directory)/token")
        #expect(
            explained.output.contains("tool se*: any caller") && explained.output.contains("others: refused"),
            "\(explained.output)")
    }
}
