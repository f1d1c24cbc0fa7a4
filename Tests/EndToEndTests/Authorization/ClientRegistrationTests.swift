import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Clients that register themselves (RFC 7591), and the logout that applications ask for, in the running gateway.
@Suite(.tags(.core)) struct ClientRegistrationTests {
    private static let path = "/oauth2/register"
    private static let token = "0123456789abcdef0123456789abcdef"
    private static let json: Field = "Content-Type: application/json"
    private static let form: Field = "Content-Type: application/x-www-form-urlencoded"
    private static let after = "https://web.example.com/out"

    static func prepare(_ settings: inout FixtureSettings, _ registration: String? = nil) {
        AuthorizationFixture.prepare(&settings)
        let rules = registration ?? #""initialAccessTokens": ["\#(token)"]"#
        settings["tokenService"] = """
            {"scopes": ["orders"], "idTokenAlgorithms": ["RS256"], "scopeDescriptions": {"orders": "See your orders"},
             "registration": {"client": "web/1.0", "redirectUris": ["loopback", "https://web.example.com"], \(rules)}}
            """
    }

    private static func register(_ gateway: GatewayProcess, _ more: String = "", token: String? = token) throws
        -> Response
    {
        try gateway.request(
            "POST", path, [json] + (token.map { [.bearer($0)] } ?? []),
            body: #"{"redirect_uris": ["http://localhost:4711/cb"], "token_endpoint_auth_method": "none"\#(more)}"#)
    }

    private static func redeem(_ gateway: GatewayProcess, _ code: String, _ client: String) throws -> Response {
        try gateway.request(
            "POST", "/oauth2/token", [form],
            body: "grant_type=authorization_code&code=\(code)&redirect_uri=http%3A%2F%2Flocalhost%3A4711%2Fcb"
                + "&code_verifier=\(AuthorizationFixture.verifier)&client_id=\(client)")
    }

    @Test("a registered client works at all gateways of a store, over a restart, until it ends itself")
    func fleet() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let document = JSONText(try fixture.request("GET", "/.well-known/oauth-authorization-server").text)
        #expect(document["registration_endpoint"].string == "http://gw.example.com/oauth2/register")
        for wrong in [nil, "", Self.token + "x"] {
            #expect(try Self.register(fixture.gateway, token: wrong).status == 401)
        }
        let reply = try Self.register(
            fixture.gateway,
            #", "client_name": "<b>Notes</b>", "grant_types": ["authorization_code", "refresh_token"]"#)
        #expect(reply.status == 201, "\(reply.text)")
        let client = JSONText(reply.text)
        let id = try #require(client["client_id"].string)
        let access = try #require(client["registration_access_token"].string)
        let directory = fixture.gateway.configuration
        fixture.gateway.program.signal(SIGKILL)
        _ = fixture.gateway.program.waitForEnd()
        let (one, two) = (try GatewayProcess(directory), try GatewayProcess(directory))
        let jar = CookieJar(one)
        let link = AuthorizationFixture.link(id, "http://localhost:4711/cb", "&state=s&scope=openid%20orders")
        let page = try jar.askForConsent(link)
        #expect(page.text.contains("&lt;b&gt;Notes&lt;/b&gt; asks for access") && !page.text.contains("<b>"))
        #expect(page.text.contains("is not verified") && page.text.contains("a program on this device"))
        let code = try #require(AuthorizationFixture.parameter("code", try jar.decide(page)))
        let tokens = JSONText(try Self.redeem(two, code, id).text)
        let bearer = try #require(tokens["access_token"].string, "\(tokens)")
        #expect(tokens["id_token"].string != nil && tokens["refresh_token"].string != nil)
        #expect(try two.request("GET", "/plain", [.bearer(bearer)]).status == 200)
        // The user is asked again.
        #expect(try jar.send("GET", link).status == 200)
        #expect(try two.request("DELETE", "\(Self.path)/\(id)", [.bearer(Self.token)]).status == 401)
        #expect(try two.request("DELETE", "\(Self.path)/\(id)", [.bearer(access)]).status == 204)
        #expect(try jar.send("GET", link).status == 400)
        #expect(try two.request("GET", "/plain", [.bearer(bearer)]).status == 401)
        // All is written at the end of a process.
        for process in [one, two] { try process.stop() }
        let written = one.everythingWritten + two.everythingWritten + fixture.gateway.everythingWritten
        for secret in [Self.token, access, code, bearer] { #expect(!written.contains(secret)) }
        #expect(written.contains("registration_ended") && written.contains("unregister"))
    }

    @Test("a reload takes scopes away, and an administrator ends a client with its tokens")
    func rights() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let grants = #", "grant_types": ["authorization_code", "refresh_token"]"#
        let id = try #require(JSONText(Self.register(fixture.gateway, grants).text)["client_id"].string)
        let jar = CookieJar(fixture.gateway)
        let link = AuthorizationFixture.link(id, "http://localhost:4711/cb", "&state=s&scope=openid%20orders")
        let answer = try jar.decide(jar.askForConsent(link))
        let code = try #require(AuthorizationFixture.parameter("code", answer))
        let first = JSONText(try Self.redeem(fixture.gateway, code, id).text)
        #expect(first["scope"].string == "openid orders")
        _ = try fixture.reload {
            Self.prepare(&$0, #""initialAccessTokens": ["\#(Self.token)"], "scopes": ["openid"]"#)
        }
        let refresh = try #require(first["refresh_token"].string)
        let reply = try fixture.request(
            "POST", "/oauth2/token", [Self.form],
            body: "grant_type=refresh_token&refresh_token=\(refresh)&client_id=\(id)")
        let bearer = try #require(JSONText(reply.text)["access_token"].string, "\(reply.text)")
        #expect(try JSONText(fixture.admin("GET", "/admin/tokens?client=\(id)").text)[0]["application"].string == id)
        #expect(JSONWebToken(bearer).claims["scope"].string == "openid")
        #expect(try fixture.request("GET", "/plain", [.bearer(bearer)]).status == 200)
        #expect(try fixture.admin("DELETE", "/admin/tokens/\(id)").status == 200)
        #expect(try fixture.request("GET", "/plain", [.bearer(bearer)]).status == 401)
    }

    @Test("a registered client has roles by a scope, or on a route that trusts it")
    func roles() throws {
        let registration = #""initialAccessTokens": ["\#(Self.token)"], "scopeRoles": {"orders": ["Manager"]}"#
        func fixture(_ isTrusted: Bool) throws -> Fixture {
            try Fixture {
                Self.prepare(&$0, registration)
                $0.addRoutes(
                    #"{"path": "/managed", "upstream": "stub", "roles": ["Manager"]}"#,
                    #"{"path": "/trusting", "upstream": "stub", "roles": ["Manager"], "registeredClients": \#(isTrusted)}"#
                )
            }
        }
        let limited = "what is open to all signed-in users"
        for (isTrusted, scope) in [(false, "openid"), (false, "openid%20orders"), (true, "openid")] {
            let fixture = try fixture(isTrusted)
            let id = try #require(JSONText(Self.register(fixture.gateway).text)["client_id"].string)
            let jar = CookieJar(fixture.gateway)
            let page = try jar.askForConsent(
                AuthorizationFixture.link(id, "http://localhost:4711/cb", "&state=s&scope=\(scope)"))
            #expect(page.text.contains(isTrusted ? "Do everything that you can do" : limited), "\(page.text)")
            let code = try #require(AuthorizationFixture.parameter("code", try jar.decide(page)))
            let reply = JSONText(try Self.redeem(fixture.gateway, code, id).text)
            let token = try Field.bearer(#require(reply["access_token"].string, "\(reply)"))
            let hasRole = scope.contains("orders")
            #expect(try fixture.request("GET", "/managed", [token]).status == (hasRole ? 200 : 403))
            #expect(try fixture.request("GET", "/trusting", [token]).status == (hasRole || isTrusted ? 200 : 403))
            #expect(try fixture.request("GET", "/plain", [token]).status == 200)
            #expect(try fixture.lastRequest("/plain").values("X-Gateway-Roles") == [hasRole ? "Manager" : ""])
            if isTrusted { #expect(try fixture.lastRequest("/trusting").only("X-Gateway-Roles") == "Manager") }
        }
    }

    @Test("guesses of the initial access token are throttled, and a store is not filled")
    func guesses() throws {
        let fixture = try Fixture {
            Self.prepare(&$0, #""initialAccessTokens": ["\#(Self.token)"], "maximumClients": 2"#)
        }
        for _ in 0..<2 { #expect(try Self.register(fixture.gateway).status == 201) }
        #expect(try Self.register(fixture.gateway).status == 503)
        var last = 401
        for guess in 0..<200 where last == 401 {
            last = try Self.register(fixture.gateway, token: "guess-\(guess)").status
        }
        #expect(last == 429)
    }

    @Test("an open registration is limited by network")
    func open() throws {
        let fixture = try Fixture { Self.prepare(&$0, #""open": true"#) }
        let more = #", "post_logout_redirect_uris": ["http://localhost/out"]"#
        for _ in 0..<20 { #expect(try Self.register(fixture.gateway, more, token: nil).status == 201) }
        #expect(try Self.register(fixture.gateway, token: nil).status == 429)
    }

    @Test("gateways with one Redis server keep the limit together and know each other's clients")
    func overRedis() throws {
        let redis = try RedisProcess()
        let fixture = try Fixture {
            Self.prepare(&$0, #""initialAccessTokens": ["\#(Self.token)"], "maximumClients": 6"#)
            $0["store"] = #"{"kind": "redis", "url": "unix:\#(redis.socketPath)"}"#
        }
        let gateways = [fixture.gateway, try GatewayProcess(fixture.gateway.configuration)]
        let replies = Mutex<[Response]>([])
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            guard let reply = try? Self.register(gateways[number % 2]) else { return }
            replies.withLock { $0.append(reply) }
        }
        let all = replies.withLock { $0 }
        #expect(all.count { $0.status == 201 } == 6 && all.count { $0.status == 503 } == 14)
        let client = JSONText(try #require(all.first { $0.status == 201 }).text)
        let place = "\(Self.path)/\(try #require(client["client_id"].string))"
        let access = try #require(client["registration_access_token"].string)
        for gateway in gateways { #expect(try gateway.request("GET", place, [.bearer(access)]).status == 200) }
        #expect(try gateways[1].request("DELETE", place, [.bearer(access)]).status == 204)
        for gateway in gateways { #expect(try gateway.request("GET", place, [.bearer(access)]).status == 401) }
        #expect(try Self.register(gateways[0]).status == 201)
        #expect(try Self.register(gateways[1]).status == 503)
    }

    @Test("without the setting there is no endpoint")
    func off() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        #expect(try Self.register(fixture.gateway).status == 404)
        let document = JSONText(try fixture.request("GET", "/.well-known/openid-configuration").text)
        #expect(document["registration_endpoint"].string == nil)
        #expect(document["end_session_endpoint"].string == "http://gw.example.com/oauth2/logout")
    }

    @Test("an application logs its user out, by the ID token at once and otherwise by a question")
    func logout() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let path = "/oauth2/logout"
        let address = "post_logout_redirect_uri=https%3A%2F%2Fweb.example.com%2Fout&state=x"
        for asks in [false, true] {
            let jar = CookieJar(fixture.gateway)
            let link = AuthorizationFixture.link("web-client", AuthorizationFixture.redirect, "&scope=openid")
            var page = try jar.askForConsent(link)
            if page.status == 200 { page = try jar.decide(page) }
            let tokens = JSONText(try fixture.redeem(#require(AuthorizationFixture.parameter("code", page))).text)
            let (access, hint) = (
                try #require(tokens["access_token"].string), try #require(tokens["id_token"].string)
            )
            #expect(try fixture.request("GET", "/plain", [.bearer(access)]).status == 200)
            let evil = "\(path)?id_token_hint=\(hint)&post_logout_redirect_uri=https%3A%2F%2Fevil.net%2F"
            #expect(try jar.send("GET", evil).status == 400)
            let line = fixture.gateway.waitForAccess { $0["reason"].string == "logout_request_invalid" }
            #expect(
                line?["detail"].string
                    == #"post_logout_redirect_uri "https://evil.net/", registered "https://web.example.com/out""#)
            let done: Response
            if asks {
                let question = try jar.send("GET", "\(path)?client_id=web-client&\(address)")
                #expect(question.status == 200 && question.text.contains("Do you want to sign out?"))
                #expect(try CookieJar(fixture.gateway).fill(question, path, "").status == 303)
                #expect(try fixture.request("GET", "/plain", [.bearer(access)]).status == 200)
                done = try jar.fill(question, path, "")
            } else {
                done = try jar.send("GET", "\(path)?id_token_hint=\(hint)&\(address)")
            }
            #expect(done.status == 303 && done.only("Location") == "\(Self.after)?state=x", "\(done.text)")
            #expect(try fixture.request("GET", "/plain", [.bearer(access)]).status == 401)
            #expect(!fixture.gateway.everythingWritten.contains(hint))
        }
    }

    @Test("authlib registers a client, logs in with it and out", .enabled(if: ChromiumWalk.python != nil))
    func authlib() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let script = Vectors.root.appending(path: "Tests/Interop/client_registration.py").path
        let python = try #require(ChromiumWalk.python)
        let base = "http://127.0.0.1:\(try fixture.gateway.port())"
        let result = try Program.run(python, [script, base, Self.token])
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)\n\(fixture.gateway.everythingWritten)")
        #expect(result.output.split(separator: "\n").count == 6, "\(result.output)")
    }
}
