import Foundation
import Testing

/// Applications under several hosts that log in at one: each host gets a cookie of its own, by a code that counts once.
@Suite(.tags(.core)) struct HostLoginTests {
    private static let base = "http://gw.example.com"
    private static let (shop, mail): (Field, Field) = ("Host: shop.example.com", "Host: mail.example.org")
    private static let home: Field = "Host: gw.example.com"

    private func gateway(
        _ change: @escaping (inout FixtureSettings) -> Void = { _ in }, environment: [String: String] = [:]
    ) throws -> Fixture {
        try Fixture(environment: environment) {
            AuthorizationFixture.prepare(&$0)
            $0["webgates"] = nil
            $0["routes"] = FixtureSettings.list([
                #"{"name": "shop", "path": "/app/**", "hosts": ["shop.example.com"], "upstream": "stub", "login": "local"}"#,
                #"{"path": "/**", "hosts": ["mail.example.org"], "upstream": "stub", "login": "local", "roles": ["Manager"]}"#,
                #"{"path": "/any", "hosts": ["*.example.net"], "upstream": "stub", "login": "local"}"#,
                // Routes of the same path where browsers log in.
                #"{"name": "portal", "path": "/app/**", "upstream": "stub", "login": "local"}"#,
                #"{"path": "/home", "hosts": ["gw.example.com"], "upstream": "stub", "login": "local"}"#,
            ])
            change(&$0)
        }
    }

    /// A browser: a jar for each host.
    private struct Browser {
        let home, shop, mail: CookieJar

        init(_ fixture: Fixture) {
            (home, shop, mail) = (
                CookieJar(fixture.gateway), CookieJar(fixture.gateway), CookieJar(fixture.gateway)
            )
        }

        func send(
            _ jar: CookieJar, _ host: Field, _ target: String, _ more: [Field] = []
        ) throws -> Response {
            try jar.send("GET", target, BrowserFixture.navigation + [host] + more)
        }

        /// From a page to the login, which is at `baseUrl`.
        func leave(_ jar: CookieJar, _ host: Field, _ target: String) throws -> String {
            let sent = try send(jar, host, target)
            let location = try #require(sent.only("Location"), "\(sent.status) \(sent.text)")
            #expect(location.hasPrefix("\(HostLoginTests.base)/oauth2/login?target="), "\(location)")
            return String(location.dropFirst(HostLoginTests.base.utf8.count))
        }

        /// The way back that the login at `baseUrl` gives.
        func logIn(_ form: String, _ user: String = "joe", _ password: String = "Welcome1") throws -> String {
            let page = try home.send("GET", form, BrowserFixture.navigation + [HostLoginTests.home])
            let answer = try home.fill(page, form, "username=\(user)&password=\(password)", [HostLoginTests.home])
            return try #require(answer.only("Location"), "\(answer.status) \(answer.text)")
        }
    }

    private func path(_ location: String, of origin: String) throws -> String {
        try #require(location.hasPrefix("\(origin)/oauth2/login?code="), "\(location)")
        return String(location.dropFirst(origin.utf8.count))
    }

    @Test(
        "a login serves the applications of all hosts, whose cookies are their own, and a logout at one ends it at all")
    func journey() throws {
        let fixture = try gateway()
        let browser = Browser(fixture)
        let form = try browser.leave(browser.shop, Self.shop, "/app/x?a=b")
        let code = try path(browser.logIn(form), of: "http://shop.example.com")
        let entered = try browser.send(browser.shop, Self.shop, code)
        #expect(entered.status == 303 && entered.only("Location") == "/app/x?a=b", "\(entered.status) \(entered.text)")
        #expect(try browser.send(browser.shop, Self.shop, "/app/x?a=b").status == 200)
        // The upstream gets none of the cookies.
        #expect(try fixture.lastRequest("/app/x").only("Cookie") == nil)

        // Another application asks nothing.
        let other = try browser.leave(browser.mail, Self.mail, "/in")
        let sent = try browser.send(browser.home, Self.home, other)
        let back = try path(#require(sent.only("Location"), "\(sent.text)"), of: "http://mail.example.org")
        #expect(try browser.send(browser.mail, Self.mail, back).only("Location") == "/in")
        #expect(try browser.send(browser.mail, Self.mail, "/in").status == 200)
        #expect(try browser.send(browser.home, Self.home, "/home").status == 200)

        let link: [Field] = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: document"]
        #expect(try browser.send(browser.shop, Self.shop, "/oauth2/logout", link).status == 200)
        #expect(try browser.send(browser.mail, Self.mail, "/in").status == 302)
        #expect(try browser.send(browser.home, Self.home, "/home").status == 302)
        // And no host gets another session without a login.
        let again = try browser.leave(browser.shop, Self.shop, "/app/x")
        #expect(try browser.send(browser.home, Self.home, again).status == 200)
    }

    @Test("a code counts once, at its host, in its browser, and for a minute")
    func codes() throws {
        let clock = try SteppedClock()
        let fixture = try gateway(environment: clock.environment)
        let browser = Browser(fixture)
        func code() throws -> String {
            let form = try browser.leave(browser.shop, Self.shop, "/app/x")
            let sent = try browser.send(browser.home, Self.home, form)
            return try path(sent.only("Location") ?? browser.logIn(form), of: "http://shop.example.com")
        }
        // Another browser, which a page of an attacker has led here, gets no session of the attacker's.
        let victim = CookieJar(fixture.gateway)
        _ = try browser.leave(victim, Self.shop, "/app/x")
        let led = try code()
        #expect(try browser.send(victim, Self.shop, led).status == 403 && victim["portcullis"] == nil)
        // What was seen elsewhere counts nowhere any more.
        #expect(try browser.send(browser.shop, Self.shop, led).status == 403)
        let others: [Field] = ["Host: mail.example.org", "Host: shop.example.com:8080", "Host: gw.example.com"]
        for host in others { #expect(try browser.send(browser.shop, host, try code()).status == 403, "\(host)") }
        let first = try code()
        var changed = Array(first)
        changed[60] = changed[60] == "A" ? "B" : "A"
        #expect(try browser.send(browser.shop, Self.shop, String(changed)).status == 403)
        #expect(try browser.send(browser.shop, Self.shop, first, ["Sec-Fetch-Dest: image"]).status == 403)
        #expect(try browser.shop.send("HEAD", first, BrowserFixture.navigation + [Self.shop]).status == 403)
        #expect(try browser.send(browser.shop, Self.shop, first).status == 303)
        #expect(try browser.send(browser.shop, Self.shop, first).status == 403)
        #expect(try browser.send(browser.shop, Self.shop, "/app/x").status == 200)

        browser.shop["portcullis"] = nil
        let late = try code()
        try clock.step(to: 61)
        #expect(try browser.send(browser.shop, Self.shop, late).status == 403)
        // A page that was left open for long goes on.
        #expect(try browser.send(browser.shop, Self.shop, try code()).status == 303)
    }

    @Test("two tabs of a host come back both; a host of no route is led nowhere")
    func tabs() throws {
        let fixture = try gateway()
        let browser = Browser(fixture)
        let forms = try ["/app/a", "/app/b"].map { try browser.leave(browser.shop, Self.shop, $0) }
        let first = try path(browser.logIn(forms[0]), of: "http://shop.example.com")
        let second = try browser.send(browser.home, Self.home, forms[1])
        let other = try path(#require(second.only("Location")), of: "http://shop.example.com")
        #expect(try browser.send(browser.shop, Self.shop, other).only("Location") == "/app/b")
        #expect(try browser.send(browser.shop, Self.shop, first).only("Location") == "/app/a")
        // Hosts of a pattern and other ports may be those of others, who would get the code.
        for host: Field in ["Host: any.example.net", "Host: shop.example.com:9999", "Host: shop.example.com:443"] {
            let path = host.value.hasPrefix("any") ? "/any" : "/app/x"
            let refused = try browser.send(CookieJar(fixture.gateway), host, path)
            let location = refused.only("Location")
            #expect(location == nil || location == "\(Self.base)/app/x", "\(host) \(refused.status)")
        }
        for host: Field in ["Host: evil.example", "Host: shop.example.com.evil.example"] {
            #expect(try browser.send(CookieJar(fixture.gateway), host, "/in").status == 404)
        }
    }

    @Test("a cookie of a domain serves its hosts without a code, and a logout removes it")
    func domain() throws {
        let fixture = try gateway {
            $0["sessions"] = #"{"cookieDomain": "example.com"}"#
            $0["additionalBaseUrls"] = nil
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/app/**", "hosts": ["shop.example.com"], "upstream": "stub", "login": "local"}"#,
                #"{"path": "/home", "hosts": ["gw.example.com"], "upstream": "stub", "login": "local"}"#,
            ])
        }
        let jar = CookieJar(fixture.gateway)
        func send(_ host: Field, _ target: String, _ more: [Field] = []) throws -> Response {
            try jar.send("GET", target, BrowserFixture.navigation + [host] + more)
        }
        let form = try #require(send(Self.home, "/home").only("Location"))
        let page = try send(Self.home, form)
        let answer = try jar.fill(page, form, "username=joe&password=Welcome1", [Self.home])
        let cookie = try #require(answer.head.values("Set-Cookie").first { $0.hasPrefix("portcullis=") })
        #expect(cookie.contains("; Path=/; Domain=example.com; HttpOnly; SameSite=Lax"), "\(cookie)")
        #expect(try send(Self.shop, "/app/x").status == 200)
        #expect(try fixture.lastRequest("/app/x").only("Cookie") == nil)
        let out = try send(Self.shop, "/oauth2/logout", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: document"])
        let removal = try #require(out.head.values("Set-Cookie").first { $0.hasPrefix("portcullis=;") })
        #expect(removal.contains("Domain=example.com") && removal.contains("Max-Age=0"), "\(removal)")
        #expect(try send(Self.home, "/home").status == 302)
    }

    @Test("over TLS no browser is led back to a host in the clear")
    func clear() throws {
        let fixture = try gateway { $0["baseUrl"] = #""https://gw.example.com""# }
        let sent = try Browser(fixture).send(CookieJar(fixture.gateway), Self.shop, "/app/x")
        #expect(sent.status == 302 && sent.only("Location") == "https://gw.example.com/app/x")
    }

    @Test("another user may log in for a page that the first may not see")
    func otherAccount() throws {
        let fixture = try gateway()
        let browser = Browser(fixture)
        let form = try browser.leave(browser.mail, Self.mail, "/in")
        let code = try path(browser.logIn(form, "ann", "Welcome2"), of: "http://mail.example.org")
        #expect(try browser.send(browser.mail, Self.mail, code).status == 303)
        let refused = try browser.send(browser.mail, Self.mail, "/in")
        #expect(refused.status == 403)
        let link = try #require(refused.text.firstMatch(of: /href="(\/oauth2\/login[^"]*)"/), "\(refused.text)")
        let again = String(link.1).replacing("&amp;", with: "&")
        let page = try browser.send(browser.mail, Self.mail, again)
        let answer = try browser.mail.fill(page, again, "username=joe&password=Welcome1", [Self.mail])
        let other = try path(#require(answer.only("Location"), "\(answer.text)"), of: "http://mail.example.org")
        #expect(try browser.send(browser.mail, Self.mail, other).only("Location") == "/in")
        #expect(try browser.send(browser.mail, Self.mail, "/in").status == 200)
    }
}
