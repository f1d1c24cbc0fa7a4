import Foundation
import TestSupport
import Testing

/// Logins of other applications (RFC 6749, RFC 7636, RFC 9700, OpenID Connect Core) in the running gateway.
@Suite(.tags(.core)) struct AuthorizationTests {
    @Test("a code is exchanged once, is not logged, and its replay ends the tokens")
    func code() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let page = try jar.askForConsent(
            AuthorizationFixture.link("web-client", AuthorizationFixture.redirect, "&state=s&scope=openid"))
        #expect(page.status == 200 && page.text.contains("web asks for access"))
        #expect(page.only("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
        #expect(page.only("X-Frame-Options") == "DENY" && page.only("Cache-Control") == "no-store")
        let back = try jar.decide(page)
        #expect(back.status == 303 && AuthorizationFixture.parameter("iss", back) == "http://gw.example.com")
        #expect(back.only("Referrer-Policy") == "no-referrer" && back.only("Cache-Control") == "no-store")
        let code = try #require(AuthorizationFixture.parameter("code", back))
        let first = try fixture.redeem(code)
        #expect(first.status == 200, "\(first.text)")
        let tokens = JSONText(first.text)
        let access = try #require(tokens["access_token"].string)
        #expect(try fixture.request("GET", "/plain", [.bearer(access)]).status == 200)
        // The ID token opens nothing.
        let identity = try #require(tokens["id_token"].string)
        #expect(try fixture.request("GET", "/plain", [.bearer(identity)]).status == 401)
        #expect(try fixture.request("GET", "/oauth2/userinfo", [.bearer(identity)]).status == 401)
        #expect(try fixture.request("GET", "/oauth2/userinfo", [.bearer(access)]).text == #"{"sub":"joe"}"#)
        #expect(try fixture.redeem(code).status == 400)
        let deadline = Deadline.usual
        var last = 200
        while last == 200, !deadline.isPast {
            last = try fixture.request("GET", "/plain", [.bearer(access)]).status
        }
        #expect(last == 401)
        _ = fixture.gateway.waitForAccess { $0["reason"].string == "code_reused" }
        let written = fixture.gateway.everythingWritten
        for secret in [code, access, identity, AuthorizationFixture.verifier] { #expect(!written.contains(secret)) }
        #expect(written.contains("sso.code") && written.contains("grant.authorization_code"))
    }

    @Test("an error goes to the client, unless the client or its redirect URI is unknown")
    func errors() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        func send(_ link: String, _ fields: [Field] = BrowserFixture.navigation) throws -> Response {
            try fixture.request("GET", link, fields)
        }
        for link in [
            AuthorizationFixture.link("nobody"), AuthorizationFixture.link("inv-client"),
            AuthorizationFixture.link("web-client", "https://web.example.com/cb/"),
            AuthorizationFixture.link("web-client", "https://web.example.com.evil.net/cb"),
            AuthorizationFixture.link() + "&client_id=app-client",
            AuthorizationFixture.link() + "&redirect_uri=https:%2F%2Fevil.net",
        ] {
            let response = try send(link)
            #expect(response.status == 400 && response.only("Location") == nil, "\(link)")
        }
        let bare = AuthorizationFixture.link().replacing("code_challenge", with: "x")
        for (link, error) in [
            (bare, "invalid_request"), (AuthorizationFixture.link() + "&prompt=none", "login_required"),
            (AuthorizationFixture.link() + "&nonce=a&nonce=b", "invalid_request"),
            (AuthorizationFixture.link() + "&request=x", "request_not_supported"),
        ] {
            let response = try send(link)
            #expect(response.status == 303 && AuthorizationFixture.parameter("error", response) == error)
            #expect(AuthorizationFixture.parameter("state", response) == "s")
            #expect(AuthorizationFixture.parameter("iss", response) == "http://gw.example.com")
        }
        // Scripts are refused.
        let script = try send(AuthorizationFixture.link(), ["Sec-Fetch-Dest: empty", "Accept: */*"])
        #expect(script.status == 403)
    }

    @Test("CSRF: a consent form counts in its own browser and session only")
    func consentForms() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        let page = try jar.askForConsent()
        let other = CookieJar(fixture.gateway)
        _ = try other.askForConsent()
        for attempt in [
            try other.decide(page), try CookieJar(fixture.gateway).decide(page),
            try jar.decide(page, "approve", ["Sec-Fetch-Site: cross-site"]),
        ] {
            #expect(attempt.status == 403 && attempt.only("Location") == nil)
        }
        #expect(AuthorizationFixture.parameter("code", try jar.decide(page)) != nil)
    }

    @Test("a code ends with its session and with the user's account")
    func ended() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let jar = CookieJar(fixture.gateway)
        func code() throws -> String {
            var page = try jar.askForConsent()
            // The consent is asked once.
            if page.status == 200 { page = try jar.decide(page) }
            return try #require(AuthorizationFixture.parameter("code", page))
        }
        let first = try code()
        let logout = "/oauth2/logout"
        let question = try jar.send("GET", logout)
        #expect(try jar.fill(question, logout, "").status == 200)
        #expect(try fixture.redeem(first).status == 400)
        let second = try code()
        try fixture.reload {
            AuthorizationFixture.prepare(&$0)
            $0["users"] = #"[{"username": "joe", "password": "{PlainText}Welcome1", "enabled": false}]"#
        }
        #expect(try fixture.redeem(second).status == 400)
    }

    @Test("RFC 9126: a pushed request is authenticated, and used once")
    func pushed() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let request = AuthorizationFixture.link().split(separator: "?")[1]
        func push(_ secret: String) throws -> Response {
            try fixture.request(
                "POST", "/oauth2/par",
                [.basic("web-client:\(secret)"), "Content-Type: application/x-www-form-urlencoded"],
                body: String(request))
        }
        #expect(try push("wrong").status == 401)
        let reply = try push("web-secret")
        #expect(reply.status == 201, "\(reply.text)")
        let reference = try #require(JSONText(reply.text)["request_uri"].string)
        let link = "\(AuthorizationFixture.path)?client_id=web-client&request_uri=\(reference)"
        let jar = CookieJar(fixture.gateway)
        let back = try jar.decide(try jar.askForConsent(link))
        let code = try #require(AuthorizationFixture.parameter("code", back))
        #expect(try fixture.redeem(code).status == 200)
        #expect(try jar.send("GET", link).status == 400)
    }

    /// A request of a client with a secret to an endpoint, with a proof of possession.
    private func post(_ fixture: Fixture, _ path: String, _ body: String, _ proof: ProofMaker?) throws -> Response {
        let now = Int64(Date().timeIntervalSince1970)
        let proofs = proof.map {
            [Field(name: "DPoP", value: $0.proof("http://gw.example.com\(path)", "POST", at: now))]
        }
        return try fixture.request(
            "POST", path,
            [.basic("web-client:web-secret"), "Content-Type: application/x-www-form-urlencoded"] + (proofs ?? []),
            body: body)
    }

    @Test(
        "RFC 9449: dpop_jkt binds a code to a key, and so does the proof of a pushed request", arguments: [false, true])
    func boundCode(_ isPushed: Bool) throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let maker = ProofMaker()
        func code() throws -> String {
            var link = AuthorizationFixture.link() + "&prompt=consent"
            if isPushed {
                let form = String(link.split(separator: "?")[1])
                #expect(
                    try post(fixture, "/oauth2/par", "\(form)&dpop_jkt=\(ProofMaker().jkt)", maker).status == 400)
                let reply = try post(fixture, "/oauth2/par", form, maker)
                let reference = try #require(JSONText(reply.text)["request_uri"].string, "\(reply.text)")
                link = "\(AuthorizationFixture.path)?client_id=web-client&request_uri=\(reference)"
            } else {
                link += "&dpop_jkt=\(maker.jkt)"
            }
            let jar = CookieJar(fixture.gateway)
            return try #require(AuthorizationFixture.parameter("code", jar.decide(jar.askForConsent(link))))
        }
        func redeem(_ code: String, _ proof: ProofMaker?) throws -> Response {
            let form = "redirect_uri=https%3A%2F%2Fweb.example.com%2Fcb&code_verifier=\(AuthorizationFixture.verifier)"
            return try post(fixture, "/oauth2/token", "grant_type=authorization_code&code=\(code)&\(form)", proof)
        }
        let granted = try redeem(code(), maker)
        #expect(granted.status == 200 && JSONText(granted.text)["token_type"].string == "DPoP", "\(granted.text)")
        for other in [nil, ProofMaker()] {
            let stolen = try code()
            let refused = try redeem(stolen, other)
            #expect(JSONText(refused.text)["error"].string == "invalid_grant", "\(refused.text)")
            // It may be in other hands.
            #expect(try redeem(stolen, maker).status == 400)
        }
    }

    @Test(
        "a dpop_jkt that is no thumbprint is refused",
        arguments: ["x", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "%20"])
    func malformedThumbprint(_ text: String) throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let answer = try CookieJar(fixture.gateway).send("GET", AuthorizationFixture.link() + "&dpop_jkt=\(text)")
        #expect(AuthorizationFixture.parameter("error", answer) == "invalid_request")
    }

    @Test("without redirect URIs there is no endpoint")
    func off() throws {
        let fixture = try Fixture {
            $0["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
        }
        #expect(try fixture.request("GET", AuthorizationFixture.path, BrowserFixture.navigation).status == 404)
        #expect(try fixture.request("GET", "/oauth2/userinfo").status == 404)
        let document = JSONText(try fixture.request("GET", "/.well-known/openid-configuration").text)
        #expect(document["authorization_endpoint"].string == nil)
    }

    @Test("authlib as a client with a secret and as a public one", .enabled(if: ChromiumWalk.python != nil))
    func authlib() throws {
        let fixture = try Fixture { AuthorizationFixture.prepare(&$0) }
        let script = Vectors.root.appending(path: "Tests/Interop/authorization_code.py").path
        let python = try #require(ChromiumWalk.python)
        let result = try Program.run(python, [script, "http://127.0.0.1:\(try fixture.gateway.port())"])
        #expect(result.ending == .exit(0), "\(result.output)\n\(result.errors)\n\(fixture.gateway.everythingWritten)")
        #expect(result.output.split(separator: "\n").count == 13, "\(result.output)")
    }
}
