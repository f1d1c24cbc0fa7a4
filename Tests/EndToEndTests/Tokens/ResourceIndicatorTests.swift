import Foundation
import Testing

/// Clients limit their tokens to one of the routes (RFC 8707), and such a token opens no other.
@Suite struct ResourceIndicatorTests {
    private static let (tools, reports) = ("http://gw.example.com/mcp", "http://gw.example.com/reports")
    private static let form: Field = "Content-Type: application/x-www-form-urlencoded"

    private static func prepare(_ settings: inout FixtureSettings) {
        AuthorizationFixture.prepare(&settings)
        settings["tokenService"] =
            #"{"scopes": ["orders"], "audience": "gateway", "resources": ["urn:example:ledger"]}"#
        settings["backends"] = """
            [
              {"name": "inventory", "version": "1.0", "mobileBackendId": "mbe-inv-1", "clientId": "inv-client",
               "clientSecret": "inv-secret", "refreshTokens": true},
              {"name": "web", "version": "1.0", "mobileBackendId": "mbe-web-1", "clientId": "web-client",
               "clientSecret": "web-secret", "redirectUris": ["\(AuthorizationFixture.redirect)"],
               "refreshTokens": true},
              {"name": "tv", "version": "1.0", "mobileBackendId": "mbe-tv-1", "clientId": "tv-client",
               "public": true, "deviceGrant": true, "refreshTokens": true, "displayName": "The TV"}
            ]
            """
        settings.addRoutes(
            #"{"path": "/mcp/**", "upstream": "stub", "protectedResource": true}"#,
            #"{"path": "/reports/{id}", "upstream": "stub", "protectedResource": true}"#,
            #"{"path": "/optional", "upstream": "stub", "identity": "optional"}"#)
    }

    private static func encoded(_ resources: String...) -> String {
        resources.map { "&resource=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }.joined()
    }

    /// The statuses of requests with a token at both resources and at a route that is none.
    private func statuses(_ token: String?, _ fixture: Fixture) throws -> [Int] {
        let token = try #require(token)
        return try ["/mcp/a", "/reports/1", "/plain"].map { try fixture.request("GET", $0, [.bearer(token)]).status }
    }

    /// A code for a user, who is asked for consent once.
    private func code(_ jar: CookieJar, _ link: String) throws -> String {
        let page = try jar.askForConsent(link)
        let answer = page.status == 200 ? try jar.decide(page) : page
        return try #require(AuthorizationFixture.parameter("code", answer), "\(answer.text)")
    }

    private func access(_ response: Response) -> String? { JSONText(response.text)["access_token"].string }

    @Test("a token of a resource opens this alone, and one without a resource all routes as before")
    func confusion() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let grant = "grant_type=password&username=joe&password=Welcome1"
        #expect(try statuses(fixture.token("joe"), fixture) == [200, 200, 200])
        let tools = try access(fixture.grant(grant + Self.encoded(Self.tools)))
        #expect(try statuses(tools, fixture) == [200, 401, 401])
        let both = try access(fixture.grant(grant + Self.encoded(Self.tools, Self.reports)))
        #expect(try statuses(both, fixture) == [200, 200, 401])
        let ledger = try access(fixture.grant(grant + Self.encoded("urn:example:ledger")))
        #expect(try statuses(ledger, fixture) == [401, 401, 401])
        #expect(try access(fixture.grant(grant + Self.encoded("http://gw.example.com/plain"))) == nil)

        let token = Field.bearer(try #require(tools))
        // The same after the check of the signature is remembered, and where no credential is needed.
        let refused = try fixture.request("GET", "/reports/1", [token])
        #expect(refused.status == 401)
        let challenge = try #require(refused.only("WWW-Authenticate"))
        #expect(challenge.contains(#"error="invalid_token""#) && challenge.contains("oauth-protected-resource/reports"))
        #expect(try fixture.request("GET", "/optional", [token]).status == 401)
        #expect(try fixture.request("GET", "/optional").status == 200)
        #expect(try fixture.request("GET", "/oauth2/userinfo", [token]).status == 401)
        #expect(try fixture.request("GET", "/mobile/platform/users/~", [token]).status == 401)
        #expect(fixture.upstream.requests("/reports/1").count == 2)
        let line = fixture.gateway.waitForAccess {
            $0["path"].string == "/optional" && $0["reason"].string == "wrong_audience"
        }
        #expect(line?["detail"].string?.contains("held: aud \"\(Self.tools)\"") == true)
    }

    @Test("the resources of an authorization request are those of its tokens, also of a pushed one")
    func code() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let link = AuthorizationFixture.link(more: Self.encoded(Self.tools, Self.reports) + "&scope=openid")
        let pushed = try fixture.request(
            "POST", "/oauth2/par", [.basic("web-client:web-secret"), Self.form],
            body: String(link.drop { $0 != "?" }.dropFirst()))
        let reference = try #require(JSONText(pushed.text)["request_uri"].string, "\(pushed.text)")
        let short = "\(AuthorizationFixture.path)?client_id=web-client&request_uri=\(reference)"
        for link in [link, short] {
            let jar = CookieJar(fixture.gateway)
            let code = try code(jar, link)
            let tokens = JSONText(try fixture.redeem(code).text)
            #expect(try statuses(tokens["access_token"].string, fixture) == [200, 200, 401])
            let refresh = "grant_type=refresh_token&refresh_token="
            let wider = try fixture.grant(
                refresh + (tokens["refresh_token"].string ?? "") + Self.encoded("urn:example:ledger"),
                client: "web-client:web-secret")
            #expect(wider.status == 400 && JSONText(wider.text)["error"].string == "invalid_target")
            let narrow = try fixture.grant(
                refresh + (tokens["refresh_token"].string ?? "") + Self.encoded(Self.tools),
                client: "web-client:web-secret")
            #expect(try statuses(access(narrow), fixture) == [200, 401, 401])
            let whole = try fixture.grant(
                refresh + (JSONText(narrow.text)["refresh_token"].string ?? ""), client: "web-client:web-secret")
            #expect(try statuses(access(whole), fixture) == [200, 200, 401])
        }
        let unknown = try jar.send("GET", AuthorizationFixture.link(more: Self.encoded(Self.tools, "/mcp")))
        #expect(AuthorizationFixture.parameter("error", unknown) == "invalid_target")
        let refused = try fixture.request(
            "POST", "/oauth2/par", [.basic("web-client:web-secret"), Self.form],
            body: String(AuthorizationFixture.link(more: Self.encoded("mcp")).drop { $0 != "?" }.dropFirst()))
        #expect(refused.status == 400 && JSONText(refused.text)["error"].string == "invalid_target")
    }

    @Test("the exchange of a code names a part of its resources, or any if it has none")
    func codeExchange() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        for (asked, wanted, statuses) in [
            (Self.encoded(Self.tools, Self.reports), Self.encoded(Self.reports), [401, 200, 401]),
            ("", Self.encoded(Self.tools), [200, 401, 401]),
            (Self.encoded(Self.tools), Self.encoded(Self.reports), nil), ("", Self.encoded("/mcp"), nil),
        ] {
            let jar = CookieJar(fixture.gateway)
            let code = try code(jar, AuthorizationFixture.link(more: asked))
            let reply = try fixture.redeem("\(code)\(wanted)")
            guard let statuses else {
                #expect(reply.status == 400 && JSONText(reply.text)["error"].string == "invalid_target")
                continue
            }
            #expect(try self.statuses(access(reply), fixture) == statuses)
        }
    }

    @Test("a device gets tokens for the resources that it began with")
    func device() throws {
        let fixture = try Fixture { Self.prepare(&$0) }
        func begin(_ more: String) throws -> Response {
            try fixture.request(
                "POST", "/oauth2/device_authorization", [Self.form], body: "client_id=tv-client\(more)")
        }
        #expect(JSONText(try begin(Self.encoded("mcp")).text)["error"].string == "invalid_target")
        let codes = JSONText(try begin(Self.encoded(Self.tools)).text)
        let jar = CookieJar(fixture.gateway)
        let path = "/oauth2/device"
        let sent = try jar.fill(jar.send("GET", path), path, "user_code=\(codes["user_code"].string ?? "")")
        let asked = try jar.send("GET", #require(sent.only("Location"), "\(sent.status)"))
        let login = try #require(asked.only("Location"))
        let loggedIn = try jar.fill(jar.send("GET", login), login, "username=joe&password=Welcome1")
        let page = try jar.send("GET", #require(loggedIn.only("Location"), "\(loggedIn.status)"))
        #expect(try jar.fill(page, path, "decision=approve").status == 200)
        func poll(_ more: String) throws -> Response {
            try fixture.request(
                "POST", "/oauth2/token", [Self.form],
                body: "client_id=tv-client&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
                    + "&device_code=\(codes["device_code"].string ?? "")\(more)")
        }
        #expect(JSONText(try poll(Self.encoded(Self.reports)).text)["error"].string == "invalid_target")
        #expect(try statuses(access(poll("")), fixture) == [200, 401, 401])
    }
}

extension AuthorizationFixture {
    fileprivate static func link(more: String) -> String { link("web-client", redirect, "&state=s\(more)") }
}
