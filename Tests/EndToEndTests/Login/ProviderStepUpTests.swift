import Testing

/// Routes that require a stronger or newer login of browsers that log in at an identity provider (RFC 9470).
@Suite struct ProviderStepUpTests {
    private func gateway(_ provider: StubProvider, _ entry: String = "") throws -> Fixture {
        func route(_ path: String, _ more: String) -> String {
            #"{"path": "\#(path)", "upstream": "stub", "login": "outside"\#(more)}"#
        }
        return try provider.gateway(
            entry,
            [
                route("/page", ""), route("/strong", #", "acr": ["mfa", "phr"]"#),
                route("/fresh", #", "maxAge": "1m""#), route("/both", #", "acr": "mfa", "maxAge": "1m""#),
            ])
    }

    @Test("a session of a lower level is sent to the provider for a higher one, which the session then has")
    func level() throws {
        let provider = try StubProvider()
        let fixture = try gateway(provider, #", "parameters": {"acr_values": "usual", "ui": "x"}"#)
        let jar = CookieJar(fixture.gateway)
        provider.login(acr: "pwd")
        let first = try provider.go(jar, "/page")
        #expect(first["acr_values"] == "usual" && first["max_age"] == nil && first["ui"] == "x")
        #expect(try provider.back(jar, first).status == 303)
        #expect(try jar.send("GET", "/page").status == 200)

        let asked = try provider.go(jar, "/strong?a=b")
        #expect(
            fixture.gateway.waitForAccess { $0["path"].string == "/strong" }?["reason"].string
                == "authentication_too_weak")
        #expect(asked["acr_values"] == "mfa phr" && asked["max_age"] == nil && asked["ui"] == "x")
        provider.login(acr: "phr")
        let answer = try provider.back(jar, asked)
        #expect(answer.status == 303 && answer.only("Location") == "/strong?a=b", "\(answer.text)")
        #expect(try jar.send("GET", "/strong?a=b").status == 200)
        #expect(try jar.send("GET", "/page").status == 200)
        // Programs, and forms, get the challenge.
        let program = try CookieJar(fixture.gateway).send("GET", "/strong", ["Accept: application/json"])
        #expect(program.status == 401)
        // A browser without a session is asked for all of it at once.
        #expect(try provider.go(CookieJar(fixture.gateway), "/both")["acr_values"] == "mfa")
    }

    @Test("a provider that does not deliver gets a page, no loop, and the earlier session goes on")
    func undelivered() throws {
        let provider = try StubProvider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        provider.login(acr: "pwd")
        #expect(try provider.back(jar, provider.go(jar, "/page")).status == 303)
        let session = jar["portcullis"]
        for claims in ["pwd", "mf", nil] as [String?] {
            provider.login(acr: claims)
            let answer = try provider.back(jar, provider.go(jar, "/strong"))
            #expect(answer.status == 403 && answer.only("Location") == nil, "\(answer.text)")
            #expect(answer.text.contains("needs a stronger sign-in") && answer.text.contains("Try again"))
        }
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "login_too_weak" } != nil)
        #expect(jar["portcullis"] == session)
        #expect(try jar.send("GET", "/page").status == 200)
        // `acr` of another one who knows no levels of ours does not reach the upstream either.
        #expect(fixture.upstream.requests("/strong").isEmpty)
    }

    @Test("an old login is asked for anew with max_age, and an answer that is old or says no time is a page")
    func age() throws {
        let provider = try StubProvider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        provider.login(ago: 3600)
        #expect(try provider.back(jar, provider.go(jar, "/page")).status == 303)
        for old in [3600, 70, nil, -3600] as [Int?] {
            let asked = try provider.go(jar, "/fresh")
            #expect(asked["max_age"] == "60" && asked["acr_values"] == nil)
            provider.login(ago: old)
            let answer = try provider.back(jar, asked)
            #expect(answer.status == 403, "\(String(describing: old)) \(answer.text)")
        }
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "login_too_old" } != nil)
        let other = CookieJar(fixture.gateway)
        let asked = try provider.go(other, "/fresh")
        provider.login(ago: 1)
        #expect(try provider.back(other, asked).status == 303)
        #expect(try other.send("GET", "/fresh").status == 200)
    }

    @Test("what was asked for is sealed: neither leaving it out nor another page's login opens the route")
    func attacks() throws {
        let provider = try StubProvider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        provider.login(acr: "pwd", ago: 1)
        // The target of another page leads to the other page, and the strong one asks again.
        let weak = try provider.go(jar, "/page")
        #expect(try provider.back(jar, weak).status == 303)
        let sent = try jar.send("GET", "/strong")
        let form = try #require(sent.only("Location"))
        let stripped = String(form.prefix { $0 != "?" })
        #expect(try jar.send("GET", stripped).status == 403)
        #expect(try jar.send("GET", "/strong").status == 302)
        let forged = try jar.send("GET", form + "x")
        #expect(forged.only("Location")?.contains("acr_values") != true)
        #expect(fixture.upstream.requests("/strong").isEmpty)
    }
}
