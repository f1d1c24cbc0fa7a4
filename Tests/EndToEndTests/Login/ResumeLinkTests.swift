import Testing

/// The address that a browser comes back to after a login for an application: it takes the place of no later login.
@Suite(.tags(.core)) struct ResumeLinkTests {
    private static func link(_ more: String, _ client: String = "own-client") -> String {
        let redirect = client == "own-client" ? "http://127.0.0.1/own" : AuthorizationFixture.redirect
        return AuthorizationFixture.link(client, redirect, "&state=s\(more)")
    }

    /// Logs in for a request: the address that the browser is sent to then.
    private func logIn(_ jar: CookieJar, _ link: String, _ user: String = "username=joe&password=Welcome1") throws
        -> String
    {
        let form = try #require(try jar.send("GET", link).only("Location"))
        return try #require(try jar.fill(jar.send("GET", form), form, user).only("Location"))
    }

    private func isCode(_ response: Response) -> Bool { AuthorizationFixture.parameter("code", response) != nil }

    private func isLogin(_ response: Response) -> Bool {
        response.status == 302 && response.only("Location")?.hasPrefix("/oauth2/login?") == true
    }

    private func until(_ condition: () throws -> Bool) throws {
        let deadline = Deadline.usual
        while try !condition() { try #require(!deadline.isPast) }
    }

    @Test(
        "a login for a request that asks for one counts for its return alone",
        arguments: ["&prompt=login", "&prompt=select_account", "&max_age=0"])
    func time(_ more: String) throws {
        let clock = try SteppedClock()
        let fixture = try Fixture(environment: clock.environment) { AuthorizationFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        _ = try logIn(jar, Self.link(""))
        let place = try logIn(jar, Self.link(more))
        #expect(isCode(try jar.send("GET", place)))
        try clock.step(to: 120)
        try until { isLogin(try jar.send("GET", place)) }
        // A user takes longer for the page that asks.
        let page = try jar.send("GET", logIn(jar, Self.link(more, "web-client")))
        try clock.step(to: 420)
        try until { isLogin(try jar.send("GET", Self.link("&max_age=200"))) }
        #expect(isCode(try jar.decide(page)), "\(more)")
    }

    @Test("max_age is the age of the login, at the return and at a new request")
    func age() throws {
        let clock = try SteppedClock()
        let fixture = try Fixture(environment: clock.environment) { AuthorizationFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let place = try logIn(jar, Self.link("&max_age=300"))
        try clock.step(to: 200)
        #expect(isCode(try jar.send("GET", place)))
        #expect(isCode(try jar.send("GET", Self.link("&max_age=300"))))
        try clock.step(to: 310)
        try until { isLogin(try jar.send("GET", place)) }
        #expect(isLogin(try jar.send("GET", Self.link("&max_age=300"))))
    }

    @Test("another session than the one of that login has to log in")
    func session() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let place = try logIn(jar, Self.link("&prompt=login"))
        #expect(
            isCode(try jar.send("GET", try logIn(jar, Self.link("&prompt=login"), "username=ann&password=Welcome2"))))
        #expect(isLogin(try jar.send("GET", place)), "the session is newer, and of another login")
        let other = CookieJar(fixture.gateway)
        #expect(isCode(try other.send("GET", try logIn(other, Self.link("")))))
        #expect(isLogin(try other.send("GET", place)))
        // Without a session there is a page, and no circle.
        let stranger = try CookieJar(fixture.gateway).send("GET", place)
        #expect(stranger.status == 403 && stranger.text.contains("Try again"), "\(stranger.text)")
    }
}
