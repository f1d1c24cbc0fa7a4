import Foundation
import Glibc
import Testing

/// Browsers at a Webgate with a form scheme, against the real gateway (SCH-02, AGT-06).
@Suite struct BrowserLoginTests {
    private func fixture(_ change: (inout FixtureSettings) -> Void = { _ in }) throws -> Fixture {
        try Fixture {
            BrowserFixture.prepare(&$0)
            change(&$0)
        }
    }

    private func text(_ response: Response) -> String { "\(response.status) \(response.text)" }

    @Test("SCH-02: login by form redirects back with 303; the upstream gets the user and no gateway cookie")
    func login() throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        let sent = try jar.send("GET", "/mobileapp?a=b")
        #expect(sent.status == 302 && sent.only("Cache-Control") == "no-store")
        #expect(
            sent.only("Location")?.hasPrefix("/oic_rest/mobilesso?serviceDomain=MobileServiceDomain&target=") == true)
        #expect(fixture.gateway.waitForAccess { $0["status"].integer == 302 }?["reason"].string == "missing_credential")
        let answer = try jar.logIn("/mobileapp?a=b")
        #expect(answer.status == 303 && answer.only("Location") == "/mobileapp?a=b")
        jar["theme"] = "dark"
        let page = try jar.send("GET", "/mobileapp?a=b")
        #expect(page.status == 200, "\(text(page))")
        #expect(page.values("Vary").contains("Cookie"), "nobody on the way keeps it for somebody else")
        let seen = try fixture.lastRequest("/mobileapp")
        #expect(seen.head.only("Cookie") == "theme=dark" && seen.head.only("X-Gateway-User") == "joe")
        // AGT-06
        #expect(try jar.send("GET", "/other").status == 200)
        #expect(try jar.send("HEAD", "/other").status == 200)
        // Elsewhere the cookie counts for nothing, and still is not forwarded.
        #expect(try jar.send("GET", "/plain").status == 401)
        #expect(try jar.send("GET", "/open").status == 200)
        #expect(try fixture.lastRequest("/open").head.only("Cookie") == "theme=dark")
        #expect(try fixture.lastRequest("/open").head.only("X-Gateway-User") == nil)
        #expect(!fixture.gateway.everythingWritten.contains(try #require(jar["portcullis-form"])))
    }

    @Test("SCH-02, CHAL-04: an agent gets OAM-Auth, a client that does not accept HTML a Bearer challenge")
    func others() throws {
        let fixture = try fixture()
        let agent = try fixture.request("GET", "/mobileapp", ["Accept: text/html", "User-Agent: OAMMS-Agent"])
        #expect(
            agent.status == 401 && agent.only("WWW-Authenticate")?.hasPrefix("OAM-Auth realm=\"MobileWG:2 ") == true)
        let script = try fixture.request("GET", "/mobileapp", ["User-Agent: curl/8"])
        #expect(script.status == 401 && script.only("WWW-Authenticate") == "Bearer realm=\"MobileWG\"")
        #expect(try fixture.request("POST", "/mobileapp", BrowserFixture.navigation, body: "a").status == 401)
    }

    @Test("CHAL-06: a higher level requires the second step, in a new session")
    func stepUp() throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        try jar.logIn()
        let low = jar["portcullis-form"]
        let sent = try jar.send("GET", "/strong")
        #expect(
            fixture.gateway.waitForAccess { $0["path"].string == "/strong" }?["reason"].string == "step_up_required")
        let form = try #require(sent.only("Location"))
        let asked = try jar.fill(jar.send("GET", form), form, "username=joe&password=Welcome1")
        #expect(asked.text.contains("one-time-code"), "\(text(asked))")
        #expect(asked.text.contains("<p>You are signing in as joe.</p>"), "\(text(asked))")
        let code = try Program.run(
            "/usr/bin/python3",
            ["-c", Self.totp, BrowserFixture.secret])
        let done = try jar.fill(asked, form, "answer=\(code.output.trimmingCharacters(in: .whitespacesAndNewlines))")
        #expect(done.status == 303 && done.only("Location") == "/strong", "\(text(done))")
        #expect(try jar.send("GET", "/strong").status == 200 && jar.send("GET", "/mobileapp").status == 200)
        let old = CookieJar(fixture.gateway)
        old["portcullis-form"] = low
        #expect(try old.send("GET", "/mobileapp").status == 302, "the session of before has ended")
    }

    private static let totp =
        "import base64,hmac,struct,sys,time; d=hmac.digest(base64.b32decode(sys.argv[1]),struct.pack('>Q',int(time.time())//30),'sha1'); o=d[-1]&15; print('%06d'%((struct.unpack('>I',d[o:o+4])[0]&0x7fffffff)%1000000))"

    @Test("logout by the page ends the session immediately at every worker")
    func logout() throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        try jar.logIn()
        let session = jar["portcullis-form"]
        let page = try jar.send("GET", "/oam/server/logout")
        #expect(page.status == 200 && page.text.contains("Do you want to sign out?"))
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        let done = try jar.fill(page, "/oam/server/logout", "")
        #expect(done.status == 200 && jar["portcullis-form"] == nil)
        jar["portcullis-form"] = session
        for _ in 0..<8 { #expect(try jar.send("GET", "/mobileapp").status == 302) }
    }

    @Test("OMS-09: an idle session ends, and the browser is redirected to the form")
    func idle() throws {
        let fixture = try fixture {
            $0["serviceDomains"] = $0["serviceDomains"]?.replacing(
                #""maxLoginAttempts": 5"#, with: #""maxLoginAttempts": 5, "idleTimeout": 2"#)
        }
        let jar = CookieJar(fixture.gateway)
        try jar.logIn()
        #expect(try jar.send("GET", "/mobileapp").status == 200)
        // What is refused is no use of it, so that asking does not keep it alive.
        let deadline = Deadline.usual
        while try jar.send("POST", "/mobileapp", [], body: "a").status == 403 { try #require(!deadline.isPast) }
        #expect(try jar.send("GET", "/mobileapp").status == 302)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "session_idle" } != nil)
    }

    // MARK: Attacks

    @Test("CSRF: a change by cookie needs a page of the gateway; an origin that CORS allows is not enough")
    func crossSite() throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        try jar.logIn()
        func post(_ fields: Field...) throws -> Response { try jar.send("POST", "/mobileapp", fields, body: "a=b") }
        let bare = try post()
        #expect(bare.status == 403 && JSONText(bare.text)["code"].string == "cross_site_request")
        #expect(try post("Sec-Fetch-Site: same-origin").status == 200)
        #expect(try post("Origin: http://gw.example.com").status == 200)
        for origin in ["https://myexample.com", "null", "https://evil.example", "http://gw.example.com.evil.example"] {
            #expect(try post(.origin(origin), "Sec-Fetch-Site: same-origin").status == 403, "\(origin)")
        }
        #expect(try post("Sec-Fetch-Site: cross-site").status == 403 && post("Sec-Fetch-Site: same-site").status == 403)
        #expect(fixture.upstream.requests("/mobileapp").count == 2)
        let upgrade = try jar.send(
            "GET", "/mobileapp", ["Connection: upgrade", "Upgrade: websocket", "Origin: https://myexample.com"])
        #expect(upgrade.status == 403)
    }

    @Test("login CSRF, fixation, replay: a form is bound to one browser, and login replaces all cookies")
    func forms() throws {
        let fixture = try fixture()
        let (jar, evil) = (CookieJar(fixture.gateway), CookieJar(fixture.gateway))
        let form = try #require(evil.send("GET", "/mobileapp").only("Location"))
        let page = try evil.send("GET", form)
        // The victim's browser sends the attacker's form: with no cookie, with its own, and from another site's page.
        #expect(try jar.fill(page, form, "username=ann&password=Welcome2").status == 403)
        #expect(try jar.fill(page, form, "username=ann&password=Welcome2").status == 403)
        #expect(jar["portcullis-form"] == nil)
        let own = try jar.send("GET", form)
        #expect(
            try jar.fill(own, form, "username=joe&password=Welcome1", ["Origin: https://myexample.com"]).status == 403)
        #expect(try jar.fill(own, form, "username=joe&password=Welcome1", ["Sec-Fetch-Site: cross-site"]).status == 403)
        #expect(jar["portcullis-form"] == nil)
        // Fixation: a session that another person knows is replaced, and ends.
        try evil.logIn(user: "ann", password: "Welcome2")
        jar["portcullis-form"] = evil["portcullis-form"]
        #expect(try jar.fill(own, form, "username=joe&password=Welcome1").status == 303)
        #expect(jar["portcullis-form"] != evil["portcullis-form"])
        #expect(try evil.send("GET", "/mobileapp").status == 302)
        // After a logout the ticket is of no more use: a browser that sends the form again logs in no user.
        let question = try jar.send("GET", "/oam/server/logout")
        #expect(try jar.fill(question, "/oam/server/logout", "").status == 200)
        #expect(try jar.fill(own, form, "username=joe&password=Welcome1").status == 403)
    }

    @Test(
        "open redirect: only targets sealed by the gateway are used, and only paths",
        arguments: [
            "//evil.example", "/\\evil.example", "/%2f%2fevil.example", "https://evil.example/", "%0d%0aX:y",
            "a@evil.example",
        ])
    func redirects(_ target: String) throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        let encoded = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let form = "/oic_rest/mobilesso?serviceDomain=MobileServiceDomain&target=\(encoded)"
        let answer = try jar.fill(jar.send("GET", form), form, "username=joe&password=Welcome1")
        #expect(answer.status == 303 && answer.only("Location") == "/")
        #expect(answer.head.values("Location").count == 1)
    }

    @Test("paths that browsers interpret as hosts are not used as targets")
    func paths() throws {
        let fixture = try fixture {
            $0["routes"] = FixtureSettings.list([#"{"path": "/**", "upstream": "stub", "webgate": "MobileWG"}"#])
        }
        for path in ["//evil.example/x", "/x//evil.example", "/%5Cevil.example", "/a?b=//evil.example"] {
            let jar = CookieJar(fixture.gateway)
            let sent = try jar.send("GET", path)
            guard sent.status == 302, let form = sent.only("Location") else { continue }
            let answer = try jar.fill(jar.send("GET", form), form, "username=joe&password=Welcome1")
            let location = try #require(answer.only("Location"))
            #expect(location == path || location == "/", "\(path): \(location)")
            #expect(!location.hasPrefix("//") && !location.hasPrefix("/\\"))
        }
    }

    @Test("a modified, foreign, oversized or repeated cookie is refused")
    func cookies() throws {
        let fixture = try fixture()
        let jar = CookieJar(fixture.gateway)
        let sent = try jar.send("GET", "/mobileapp")
        try jar.logIn()
        let good = try #require(jar["portcullis-form"])
        let target = try #require(sent.only("Location")?.split(separator: "target=").last.map(String.init))
        func status(_ cookie: String, _ more: [Field] = []) throws -> Int {
            try fixture.request(
                "GET", "/mobileapp", BrowserFixture.navigation + [Field(name: "Cookie", value: cookie)] + more
            )
            .status
        }
        #expect(try status("portcullis-form=\(good)") == 200)
        for bad in [
            "portcullis-form=\(good.dropLast())",
            "portcullis-form=\(good.hasPrefix("A") ? "B" : "A")\(good.dropFirst())",
            "portcullis-form=\(target)", "portcullis-form=",
            "portcullis-form=\(String(repeating: "A", count: 6000))", "__Host-portcullis=\(good)", "PORTCULLIS=\(good)",
            "portcullis-form=x; portcullis-form=y",
        ] {
            #expect(try status(bad) == 302, "\(bad.prefix(40))")
        }
        // What another host has set of the same name is passed over, so that no browser goes around in a circle.
        #expect(try status("portcullis-form=\(good); portcullis-form=\(good)") == 200)
        #expect(try status("portcullis-form=x; portcullis-form=\(good)") == 200)
        let other = CookieJar(fixture.gateway)
        try other.logIn()
        let two = try #require(other["portcullis-form"])
        #expect(try status("portcullis-form=\(good); portcullis-form=\(two)") == 400)
        // Another credential beside it is the one that counts.
        #expect(try status("portcullis-form=\(good)", [.bearer("x")]) == 401)
        #expect(try fixture.request("GET", "/mobileapp", [.bearer(good)]).status == 401)
        #expect(try fixture.request("GET", "/plain", [.bearer(good)]).status == 401)
    }

    @Test("an upstream cannot set or clear the gateway's cookies, but all others")
    func upstreamCookies() throws {
        let fixture = try fixture()
        fixture.upstream.on("/open") { _ in
            [
                .reply(
                    "200 OK",
                    [
                        "Set-Cookie: portcullis-form=evil", "Set-Cookie: a=b", "Set-Cookie: =portcullis=evil",
                        "Set-Cookie: __Host-portcullis=evil; Secure; Path=/", "Set-Cookie: portcullis-login=evil",
                        "Set-Cookie: portcullisx=1", #"Clear-Site-Data: "cookies", "storage""#,
                    ])
            ]
        }
        let response = try fixture.request("GET", "/open")
        #expect(response.head.values("Set-Cookie") == ["a=b", "portcullisx=1"])
        #expect(response.head.values("Clear-Site-Data") == [#""storage""#])
    }

    @Test("over TLS and HTTP/2 cookies are __Host- and Secure; split fields are joined (RFC 9113 section 8.2.3)")
    func http2() throws {
        let fixture = try SecureFixture {
            BrowserFixture.prepare(&$0)
            $0["baseUrl"] = #""https://localhost""#
        }
        let html = ["--http2", "-H", "Accept: text/html"]
        let sent = try fixture.curl(html, "/mobileapp")
        let form = try #require(sent.only("location"), "\(sent)")
        let page = try fixture.curl(html, form)
        let nonce = try #require(page.only("set-cookie"))
        #expect(nonce.hasPrefix("__Host-portcullis-login=") && nonce.hasSuffix("; Secure"))
        let half = try #require(nonce.split(separator: ";").first.map(String.init))
        let ticket = try #require(page.body.firstMatch(of: /name="ticket" value="([^"]*)"/)).1
        let answer = try fixture.curl(
            html + ["-H", "Cookie: \(half)", "-d", "ticket=\(ticket)&username=joe&password=Welcome1"], form)
        #expect(answer.status == 303 && answer.version == "HTTP/2", "\(answer)")
        let set = try #require(answer.values("set-cookie").first { $0.hasPrefix("__Host-portcullis-form=") })
        #expect(set.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
        let session = try #require(set.split(separator: ";").first.map(String.init))
        let split = ["-H", "Cookie: a=b", "-H", "Cookie: \(session)", "-H", "Cookie: c=d"]
        #expect(try fixture.curl(html + split, "/mobileapp").status == 200)
        let seen = try #require(fixture.upstream.requests("/mobileapp").last)
        #expect(seen.head.values("Cookie").joined(separator: "; ") == "a=b; c=d")
        // By the name for clear connections it is no cookie here.
        let plain = session.replacing("__Host-", with: "")
        #expect(try fixture.curl(html + ["-H", "Cookie: \(plain)"], "/mobileapp").status == 302)
    }

    @Test("behind a trusted proxy that terminates TLS, cookies are those of TLS")
    func proxied() throws {
        let fixture = try fixture { $0["trustedProxies"] = #"["127.0.0.1"]"# }
        let https: [Field] = ["X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.1"]
        let sent = try fixture.request("GET", "/mobileapp", BrowserFixture.navigation + https)
        let page = try fixture.request("GET", try #require(sent.only("Location")), https)
        #expect(page.only("Set-Cookie")?.hasPrefix("__Host-portcullis-login=") == true)
        let clear = try fixture.request("GET", try #require(sent.only("Location")))
        #expect(clear.only("Set-Cookie")?.hasPrefix("portcullis-login=") == true)
    }
}
