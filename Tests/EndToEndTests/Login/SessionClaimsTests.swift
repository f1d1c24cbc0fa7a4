import Testing

/// Sessions keep claims of their provider, which rules and fields see like those of a token. Skipped without
/// `PORTCULLIS_PYTHON`.
@Suite(.tags(.core), .enabled(if: LoginProvider.python != nil)) struct SessionClaimsTests {
    private func gateway(
        _ provider: LoginProvider, login: String = #""staff""#, asking server: String = "http://127.0.0.1:9"
    ) throws -> Fixture {
        try LoginProvider.plainGateway(#""issuer": "https://unused", "clientId": "unused", "clientSecret": "s""#) {
            $0["identityProviders"] = """
                [{"name": "staff", "issuer": "\(provider.issuer)", "allowHttp": true, "clientId": "gateway",
                  "clientSecret": "s3cret", "usernamePrefix": "staff:"}]
                """
            $0["routes"] = FixtureSettings.list([
                """
                {"path": "/app", "upstream": "stub", "login": \(login), "claims": {"groups": {"contains": "clerks"}},
                 "requestHeaders": {"set": {"X-Mail": "${claim.email}", "X-Groups": "${claim.groups}"}}}
                """,
                #"{"path": "/inside", "upstream": "stub", "login": "staff", "claims": {"email": {"domain": ["example.com"]}}}"#,
                #"{"path": "/outside", "upstream": "stub", "login": "staff", "claims": {"email": {"domain": ["ample.com"]}}}"#,
                #"{"path": "/other", "upstream": "stub", "login": "staff", "claims": {"email": "eve@example.com"}}"#,
                #"{"path": "/asked", "upstream": "stub", "login": "staff", "policy": "authz"}"#,
            ])
            $0["policyServers"] =
                #"{"authz": {"url": "\#(server)", "allowHttp": true, "claims": ["groups", "email"]}}"#
        }
    }

    @Test("fields and rules see the claims of ID token and user info, as they see those of a token")
    func seen() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/app").status == 200)
        let seen = try fixture.lastRequest("/app").head
        #expect(seen.only("X-Mail") == "ann@example.com" && seen.only("X-Groups") == "clerks")
        #expect(try jar.send("GET", "/other").status == 403)
        #expect(fixture.gateway.waitForAccess { $0["path"].string == "/other" }?["reason"].string == "claim_required")

        // Another user has no such claims.
        let other = CookieJar(fixture.gateway)
        #expect(try provider.logIn(other, "/app", typing: "sub=bob").answer.status == 303)
        #expect(try other.send("GET", "/app").status == 403)
    }

    @Test("policy servers see the claims of a session that they list")
    func policy() throws {
        let provider = try LoginProvider(.mock)
        let server = try StubUpstream()
        server.on("/allow") { _ in [.reply("200 OK", [], body: #"{"result": true}"#)] }
        let fixture = try gateway(provider, asking: "\(server.url)/allow")
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/asked", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/asked").status == 200)
        let question = try #require(server.requests("/allow").last)
        let claims = JSONText(String(decoding: question.body, as: UTF8.self))["input"]["claims"]
        #expect(claims["email"].string == "ann@example.com" && claims["groups"][0].string == "clerks")
    }

    @Test("a domain opens a route for its verified addresses alone")
    func domain() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/inside", typing: "sub=ann").answer.status == 303)
        #expect(try jar.send("GET", "/inside").status == 200)
        #expect(try jar.send("GET", "/outside").status == 403)
    }

    @Test("claims that do not fit into the cookie end no login: those that routes look at stay")
    func full() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        for size in stride(from: 1900, to: 3000, by: 25) {
            let jar = CookieJar(fixture.gateway)
            let answer = try provider.logIn(jar, "/app", typing: "sub=full\(size)").answer
            #expect(answer.status == 303, "\(size)")
            #expect(try jar.send("GET", "/app").status == 200, "\(size)")
        }
    }

    @Test("a cookie with any byte changed is no session, so that no browser has other claims than those of its login")
    func tampered() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, "/app", typing: "sub=ann").answer.status == 303)
        let cookie = try #require(jar["portcullis"])
        for place in stride(from: 0, to: cookie.count, by: 40) {
            var text = Array(cookie)
            text[place] = text[place] == "A" ? "B" : "A"
            jar["portcullis"] = String(text)
            #expect(try jar.send("GET", "/app").status == 302, "byte \(place)")
        }
        jar["portcullis"] = cookie
        #expect(try jar.send("GET", "/app").status == 200)
    }
}
