import Testing

/// Pages that end a login or a logout: each leads on, and what failed has the id of the request.
@Suite(.tags(.core)) struct WayOnTests {
    private func gateway() throws -> Fixture {
        try Fixture {
            AuthorizationFixture.prepare(&$0)
            $0["webgates"] = nil
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/app/**", "upstream": "stub", "login": "local"}"#,
                #"{"path": "/gone", "upstream": "none", "public": true}"#,
            ])
            $0["upstreams"] = $0["upstreams"]?.replacing(
                "{\"stub\"", with: #"{"none": {"url": "http://127.0.0.1:1"}, "stub""#)
        }
    }

    private func visit(_ fixture: Fixture, _ method: String, _ target: String, _ cookie: String, _ body: String? = nil)
        throws -> Response
    {
        try fixture.request(
            method, target,
            BrowserFixture.navigation + [
                "Host: gw.example.com", Field(name: "Cookie", value: cookie),
                "Content-Type: application/x-www-form-urlencoded",
            ], body: body)
    }

    @Test("the question before a logout can be cancelled, and the page after it leads to a new login")
    func logout() throws {
        let fixture = try gateway()
        let jar = CookieJar(fixture.gateway)
        func ask(_ page: String) throws -> Response {
            try jar.send("GET", "/oauth2/logout", BrowserFixture.navigation + [Field(name: "Referer", value: page)])
        }
        #expect(try jar.logIn("/app/x").status == 303)
        for page in [
            "https://evil.example/app", "http://127.0.0.1.evil.example/app", "http://127.0.0.1//evil.example", "x",
            "http://127.0.0.1/oauth2/logout?a=b", "http://127.0.0.1/\\evil.example",
        ] {
            let question = try ask(page)
            // No route serves `/`.
            #expect(question.text.contains(#"<a href="/app/">Cancel</a>"#), "\(page): \(question.text)")
        }
        let question = try ask("http://127.0.0.1/app/x?a=b")
        #expect(question.text.contains(#"<a href="/app/x?a=b">Cancel</a>"#), "\(question.text)")
        #expect(try jar.send("GET", "/app/x").status == 200)
        let done = try jar.fill(question, "/oauth2/logout", "")
        #expect(done.status == 200 && done.text.contains(#"<a href="/app/x?a=b">Sign in again</a>"#), "\(done.text)")
    }

    @Test("of two cookies of one name a logout ends both sessions, and removes the cookies wherever they are")
    func twoCookies() throws {
        let fixture = try gateway()
        let sessions = try [("joe", "Welcome1"), ("ann", "Welcome2")].map { user, password in
            let jar = CookieJar(fixture.gateway)
            #expect(try jar.logIn("/app/x", user: user, password: password).status == 303)
            return "portcullis=\(try #require(jar["portcullis"]))"
        }
        let both = sessions.joined(separator: "; ")
        let question = try visit(fixture, "GET", "/oauth2/logout", both)
        #expect(question.text.contains("Do you want to sign out?"), "\(question.text)")
        for session in sessions { #expect(try visit(fixture, "GET", "/app/x", session).status == 200) }
        let half = try #require(question.values("Set-Cookie").first { $0.hasPrefix("portcullis-login=") })
        let hidden = question.text.matches(of: /type="hidden" name="([^"]*)" value="([^"]*)"/).map {
            "\($0.1)=\($0.2)&"
        }
        let done = try visit(
            fixture, "POST", "/oauth2/logout", "\(both); \(half.prefix { $0 != ";" })", hidden.joined())
        #expect(done.status == 200 && done.text.contains("You have signed out"), "\(done.status) \(done.text)")
        let removed = done.values("Set-Cookie")
        for place in [
            "Path=/; HttpOnly", "Path=/; Max-Age=0; Domain=example.com", "Path=/oauth2; Max-Age=0",
            "Path=/oauth2/; Max-Age=0; Domain=gw.example.com", "Path=/oauth2/logout; Max-Age=0; Domain=example.com",
        ] {
            #expect(removed.contains { $0.hasPrefix("portcullis=; \(place)") }, "\(place): \(removed)")
        }
        #expect(!removed.contains { $0.contains("Domain=com") })
        for session in sessions { #expect(try visit(fixture, "GET", "/app/x", session).status == 302) }
    }

    @Test("pages of failures have a link and the id of the request")
    func failures() throws {
        let fixture = try gateway()
        let logout = "/oauth2/logout?client_id=nobody&post_logout_redirect_uri=https:%2F%2Fevil.example"
        for (method, target, status) in [
            ("GET", "/oauth2/login?target=x", 403), ("GET", "/oauth2/login?request=x", 403),
            ("PUT", "/oauth2/login?target=x", 403), ("GET", AuthorizationFixture.link("nobody"), 400),
            ("GET", "/oauth2/authorize?resume=x", 403), ("POST", "/oauth2/authorize", 400),
            ("GET", logout, 400), ("GET", "/oauth2/logout?a=b&a=c", 400), ("GET", "/nowhere", 404),
            ("GET", "/gone", 502),
        ] {
            let page = try fixture.request(method, target, BrowserFixture.navigation)
            guard page.text.contains("<html") else { continue }
            #expect(
                page.status == status && page.text.contains("<a href=\""),
                "\(method) \(target): \(page.status) \(page.text)")
            #expect(page.text.contains("<code") && page.text.contains("</html>"), "\(method) \(target): \(page.text)")
        }
        let gone = try fixture.request("GET", "/gone", BrowserFixture.navigation)
        #expect(gone.text.contains(#"<a href="">Try again</a>"#), "\(gone.text)")
        // What the consent page was for is known, though its form does not count.
        let jar = CookieJar(fixture.gateway)
        let consent = try jar.askForConsent()
        let other = CookieJar(fixture.gateway)
        _ = try other.askForConsent()
        let refused = try other.decide(consent)
        #expect(
            refused.status == 403 && refused.text.contains(#"<a href="/oauth2/authorize?resume="#), "\(refused.text)")
    }
}
