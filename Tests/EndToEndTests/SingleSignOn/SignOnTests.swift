import Foundation
import Testing

/// Single sign-on as browsers and applications meet it (SSO-01 to SSO-12).
@Suite struct SignOnTests {
    @Test("SSO-01, SSO-09: the token is shown, opens routes, and is not logged")
    func shown() throws {
        let fixture = try Fixture { SignOnFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let page = try jar.signOn("\(SignOnFixture.path)?clientID=inv-client")
        #expect(page.status == 200)
        let token = try #require(SignOnFixture.field("access_token", page.text))
        #expect(page.text.contains("21600"))
        #expect(try fixture.request("GET", "/inventory/me", ["Authorization: Bearer \(token)"]).status == 200)
        _ = fixture.gateway.waitForAccess { $0["reason"].string == "sso_token_shown" }
        let written = fixture.gateway.everythingWritten
        #expect(!written.contains(token) && !written.contains("Welcome1"))
        #expect(written.contains("sso.login") && written.contains("sso.token"))
        let value = try #require(jar[SignOnFixture.cookie])
        #expect(!written.contains(value))
        // The cookie is for the gateway alone.
        let before = fixture.upstream.requests.count
        #expect(try fixture.request("GET", "/open/x", ["Cookie: a=b; \(SignOnFixture.cookie)=\(value)"]).status == 200)
        let received = try #require(fixture.upstream.requests.dropFirst(before).first)
        #expect(!received.head.raw.contains(value) && received.head.raw.contains("a=b"))
    }

    @Test("SSO-02, SSO-03: the token is posted by a form; the current whitelist applies")
    func posted() throws {
        let fixture = try Fixture { SignOnFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let link = "\(SignOnFixture.path)?clientID=inv-client&redirect_uri=https%3A%2F%2Fwww.example.com%2Fcb&state=s"
        let page = try jar.signOn(link)
        #expect(page.text.contains(#"action="https://www.example.com/cb""#))
        #expect(SignOnFixture.field("state", page.text) == "s")
        #expect(page.only("Content-Security-Policy")?.contains("form-action https://www.example.com/cb;") == true)
        let evil = "\(SignOnFixture.path)?clientID=inv-client&redirect_uri=https%3A%2F%2Fevil.net%2F"
        let refused = try jar.send("GET", evil)
        #expect(refused.status == 400 && refused.only("Location") == nil)
        try fixture.reload {
            SignOnFixture.prepare(&$0)
            $0["policies"] =
                #"{"Security_SsoRedirectWhitelist": "https://evil.net", "Security_TokenExchangeTimeoutSecs": 60}"#
        }
        #expect(try jar.send("GET", link).status == 400)
        let short = try jar.send("GET", evil)
        #expect(short.status == 200 && SignOnFixture.field("expires_in", short.text) == "60")
    }

    @Test("SSO-06, SSO-10, SSO-12: errors are answered by pages instead of tokens")
    func refused() throws {
        let fixture = try Fixture { SignOnFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        #expect(try jar.send("GET", "\(SignOnFixture.path)?clientID=sch-client").status == 400)
        #expect(try jar.send("GET", "\(SignOnFixture.path)?client_id=inv-client").text.contains("clientID"))
        #expect(try jar.send("POST", "\(SignOnFixture.path)?clientID=inv-client", body: "").status == 405)
        #expect(try jar.send("GET", SignOnFixture.path).status == 401)
        let page = try jar.signOn("\(SignOnFixture.path)?clientID=inv-client", user: "eve", password: "Welcome6")
        #expect(page.status == 403 && SignOnFixture.field("access_token", page.text) == nil)
        #expect(try fixture.gateway.request("GET", "/metrics", listener: "admin").text.contains("sso_wrong_realm"))
    }

    @Test("CSRF: another site's page can neither request a token nor log in", arguments: ["https://evil.net", "null"])
    func otherSites(_ origin: String) throws {
        let fixture = try Fixture { SignOnFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        _ = try jar.signOn("\(SignOnFixture.path)?clientID=inv-client")
        let asked = try jar.send(
            "GET", "\(SignOnFixture.path)?clientID=inv-client", BrowserFixture.navigation + ["Origin: \(origin)"])
        #expect(asked.status == 403)
        let form = try #require(
            jar.send("GET", "\(SignOnFixture.path)?clientID=inv-client&prompt=login").only("Location"))
        let sent = try jar.fill(
            jar.send("GET", form), form, "username=joe&password=Welcome1", ["Origin: \(origin)"])
        #expect(sent.status == 403)
    }

    @Test("SSO-11: the command line gets its token by a browser, and stores it")
    func commandLine() throws {
        let fixture = try Fixture { SignOnFixture.prepare(&$0) }
        let home = try ClientHome(ClientHome.inventory(try fixture.url))
        let login = try Program(
            GatewayProcess.binary, ["client", "sso", "login", "--home", home.path, "--listen", "127.0.0.1:0"])
        let url = try #require(login.wait(.output) { $0.first }, "\(login.lines(.errors))")
        let link = String(url.dropFirst(try fixture.url.utf8.count))
        let page = try CookieJar(fixture.gateway).signOn(link)
        let target = try #require(page.text.firstMatch(of: /action="([^"]*)"/)).1
        let form = page.text.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map { "\($0.1)=\($0.2)" }
        func post(_ form: [String]) throws -> String {
            try Program.run(
                "/usr/bin/curl",
                ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-d", form.joined(separator: "&"), String(target)]
            ).output
        }
        // What another page sends there is none of it.
        #expect(try post(["access_token=forged", "token_type=Bearer", "expires_in=60", "state=x"]) == "400")
        #expect(try post(Array(form.dropLast())) == "400")
        #expect(try post(form) == "200")
        #expect(login.waitForEnd() == .exit(0), "\(login.lines(.errors))")
        #expect(try home.run("token", "show").output.contains("by exchange"))
        #expect(try home.run("call", "/inventory/me").ending == .exit(0))
        let token = try #require(SignOnFixture.field("access_token", page.text))
        #expect(!login.lines(.output).joined().contains(token))
        let kept = try home.everything
        #expect(!kept.contains(token))
    }

    @Test("TOOL-03: capture takes one field of one request, from a query or a form", arguments: [false, true])
    func capture(_ isForm: Bool) throws {
        let name = isForm ? "SAMLResponse" : "token"
        let capture = try Program(
            GatewayProcess.binary,
            ["client", "capture", "--listen", "127.0.0.1:0"] + (isForm ? ["--field", name] : []))
        let url = try #require(capture.wait(.errors) { $0.first })
        // A browser keeps a second connection ready; any other idle connection does not delay what has come.
        let port = try #require(URL(string: url)?.port)
        let ready = try RawConnection(port: UInt16(port))
        defer { withExtendedLifetime(ready) {} }
        func curl(_ arguments: String...) throws -> String {
            try Program.run("/usr/bin/curl", ["-s"] + arguments).output
        }
        #expect(try curl("\(url)?other=x").contains("not the expected one"))
        #expect(try curl("\(url)?\(name)=a&\(name)=b").contains("not the expected one"))
        let page = try isForm ? curl("-d", "\(name)=a%2Bb", url) : curl("\(url)?\(name)=a%2Bb")
        #expect(page.contains("You can close this window"))
        #expect(capture.waitForEnd() == .exit(0))
        #expect(capture.lines(.output) == ["a+b"])
    }

    @Test("TOOL-03: capture times out, and refuses other machines")
    func captureFails() throws {
        let late = try Program.run(GatewayProcess.binary, ["client", "capture", "--wait", "1"])
        #expect(late.ending == .exit(1) && late.errors.contains("no such request within"))
        let open = try Program.run(
            GatewayProcess.binary, ["client", "capture", "--listen", "0.0.0.0:0", "--wait", "1"])
        #expect(open.ending == .exit(2))
    }
}

/// `portcullis test` (TOOL-01).
@Suite struct TestCommandTests {
    private let fixture: Fixture
    private let home: ClientHome

    init() throws {
        fixture = try Fixture { SignOnFixture.prepare(&$0) }
        home = try ClientHome(
            ClientHome.inventory(try fixture.url, more: #", "anonymousKey": "YW5vbi1pbnY6azN5""#))
    }

    private func test(
        _ words: String..., input: String = ""
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(GatewayProcess.binary, ["test"] + words + ["--home", home.path], input: input)
    }

    @Test("test explains what a single sign-on token opens, and why it is refused")
    func signOn() throws {
        let page = try CookieJar(fixture.gateway).signOn("\(SignOnFixture.path)?clientID=inv-client")
        let token = try #require(SignOnFixture.field("access_token", page.text))
        let good = try test("get", "/inventory/me", "--auth", "sso", "--token", token)
        #expect(good.ending == .exit(0) && good.output.contains("200 OK") && good.output.contains("decision: allowed"))
        let bad = try test("GET", "/inventory/me", "--auth", "oauth", "--token", "-", input: "x\n")
        #expect(bad.ending == .exit(1) && bad.output.contains("401") && bad.output.contains("challenge: "))
        #expect(bad.output.contains("decision: denied, unauthorized"))
        // What is no valid token is not exchanged either.
        #expect(try test("GET", "/inventory/me", "--auth", "sso", "--token", "x.y.z").ending == .exit(1))
    }

    @Test("a missing role is named only if the configuration is available")
    func missingRole() throws {
        let fixture = try Fixture()
        let home = try ClientHome(ClientHome.inventory(try fixture.url))
        func attempt(_ words: [String], _ more: [String] = []) throws -> [String] {
            let result = try Program.run(
                GatewayProcess.binary,
                ["test", "POST", "/inventory/items?a=b", "--home", home.path] + words + more,
                environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"],
                input: "Welcome2\n")
            #expect(result.ending == .exit(1), "\(result)")
            return result.output.split(separator: "\n").map(String.init)
        }
        let denied = "decision: denied, role_required: a required role is missing"
        let files = ["--config", fixture.gateway.configuration.path]
        let admin = ["--admin", "http://127.0.0.1:\(try fixture.gateway.port("admin"))"]
        for method in ["oauth", "basic"] {
            let login = ["--auth", method, "--user", "ann"]
            for place in [files, admin] {
                #expect(try attempt(login, place).suffix(2) == [denied, "missing: the role Manager"])
            }
            let told = try attempt(login)
            #expect(told.contains(denied) && !told.joined().contains("Manager"))
        }
        // The wire says as little as ever.
        let answer = try fixture.request(
            "POST", "/inventory/items", [.basic("ann:Welcome2"), "Oracle-Mobile-Backend-ID: mbe-inv-1"], body: "{}")
        #expect(answer.status == 403 && !answer.text.contains("Manager"))
        let wrong = try attempt(["--auth", "oauth", "--user", "ann"], ["--config", "/nonexistent"])
        #expect(wrong.contains(denied))
    }

    @Test("test accepts passwords and the anonymous key, and stores nothing")
    func others() throws {
        let basic = try test("GET", "/inventory/me", "--auth", "basic", "--user", "joe", input: "Welcome1\n")
        #expect(basic.output.contains("200 OK"), "\(basic)")
        let oauth = try test("POST", "/inventory/items", "--auth", "oauth", "--user", "joe", input: "Welcome1\n")
        #expect(oauth.output.contains("200 OK"), "\(oauth)")
        let anonymous = try test("GET", "/inventory/public", "--auth", "anonymous")
        #expect(anonymous.output.contains("200 OK"), "\(anonymous)")
        #expect(try test("GET", "/inventory/me", "--auth", "anonymous").output.contains("decision: denied"))
        for stored in [try home.run("token", "show"), try home.run("token", "show", "--value")] {
            #expect(stored.ending == .exit(1) && stored.output.isEmpty, "\(stored)")
            #expect(stored.errors.contains("`portcullis client login` stores one"), "\(stored)")
        }
    }

    @Test(
        "a missing or wrong option is named",
        arguments: [
            ("", "--auth must be sso, oauth, basic, anonymous or facebook"),
            ("--auth magic", "--auth must be sso, oauth, basic, anonymous or facebook"),
            ("--auth sso", "--auth sso needs --token"),
            ("--auth oauth", "--auth oauth needs --token or --user"),
            ("--auth basic", "--auth basic needs --user"),
            ("--auth basic --user joe", "the password of joe is expected on standard input"),
            ("--auth facebook", "--auth facebook needs --token"),
        ])
    func missingOption(_ words: String, _ complaint: String) throws {
        let arguments =
            ["test", "GET", "/inventory/me", "--home", home.path] + words.split(separator: " ").map(String.init)
        let result = try Program.run(GatewayProcess.binary, arguments, input: "")
        #expect(result.ending == .exit(2))
        #expect(result.errors == "portcullis: \(complaint)")
    }
}
