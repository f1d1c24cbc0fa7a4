import Foundation
import Testing

/// Logins in several tabs of a browser, and callbacks that come again, late, or in another browser: none is a dead end.
/// Skipped without `PORTCULLIS_PYTHON`.
@Suite(.tags(.core), .enabled(if: LoginProvider.python != nil)) struct LoginTabTests {
    private func gateway(_ provider: LoginProvider) throws -> Fixture {
        let entry =
            #""issuer": "\#(provider.issuer)", "allowHttp": true, "clientId": "gateway", "clientSecret": "s3cret""#
        return try LoginProvider.plainGateway(entry) {
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/app/**", "upstream": "stub", "login": "outside"}"#,
                #"{"path": "/own", "upstream": "stub", "login": "local"}"#,
            ])
        }
    }

    /// Where the provider sends a tab that was sent to it.
    private func callback(_ provider: LoginProvider, _ sent: Response) throws -> String {
        let location = try #require(sent.only("Location"), "\(sent.status) \(sent.text)")
        let back = try #require(URL(string: try provider.visit(location, typing: "sub=ann")))
        return "\(back.path)?\(back.query ?? "")"
    }

    /// Goes with a callback to the page, over the provider once more where the gateway says so.
    private func finish(_ jar: CookieJar, _ provider: LoginProvider, _ callback: String) throws -> String? {
        let answer = try jar.send("GET", callback)
        guard let location = answer.only("Location"), location.hasPrefix(provider.issuer) else {
            return answer.only("Location")
        }
        return try jar.send("GET", self.callback(provider, answer)).only("Location")
    }

    @Test("eight tabs that are opened at once each come to their page")
    func tabs() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        // None of them has a cookie when it asks; the last one that is set stays.
        let callbacks = try (0..<8).map { tab in
            let place = try #require(
                try fixture.request("GET", "/app/\(tab)", BrowserFixture.navigation).only("Location"))
            let fresh = CookieJar(fixture.gateway)
            let sent = try fresh.send("GET", place)
            jar["portcullis-login"] = fresh["portcullis-login"]
            return try callback(provider, sent)
        }
        for (tab, callback) in callbacks.enumerated() {
            #expect(try finish(jar, provider, callback) == "/app/\(tab)")
            #expect(try jar.send("GET", "/app/\(tab)").status == 200)
        }
    }

    @Test(
        "a callback that is loaded again, or that another browser loads, begins anew or goes on, and uses no code twice"
    )
    func again() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        let (callback, answer) = try provider.logIn(jar, "/app/x?a=b", typing: "sub=ann")
        #expect(answer.status == 303 && answer.only("Location") == "/app/x?a=b")
        let session = jar["portcullis"]
        for _ in 0..<2 {
            let reloaded = try jar.send("GET", callback)
            #expect(reloaded.status == 303 && reloaded.only("Location") == "/app/x?a=b", "\(reloaded.text)")
        }
        #expect(jar["portcullis"] == session)

        let stranger = CookieJar(fixture.gateway)
        let begun = try stranger.send("GET", callback)
        #expect(begun.status == 302 && begun.only("Location")?.hasPrefix(provider.issuer) == true, "\(begun.text)")
        #expect(stranger["portcullis"] == nil, "the code of the other browser logs in no user")
        let image = try stranger.send("GET", callback, ["Sec-Fetch-Dest: image", "Sec-Fetch-Site: same-site"])
        #expect(image.status == 403, "an image of another page begins no login")
        // A browser that keeps no cookies comes back in vain, and gets a page.
        let back = try self.callback(provider, begun)
        let page = try CookieJar(fixture.gateway).send("GET", back)
        #expect(page.status == 403, "\(page.status)")
        #expect(page.text.contains(#"href="/oauth2/login?"#) && page.text.contains("<code"), "\(page.text)")
        #expect(try stranger.send("GET", back).only("Location") == "/app/x?a=b")

        // After a logout the page needs another login.
        let question = try jar.send("GET", "/oauth2/logout")
        #expect(try jar.fill(question, "/oauth2/logout", "").status == 200 && jar["portcullis"] == nil)
        #expect(try jar.send("GET", callback).only("Location")?.hasPrefix(provider.issuer) == true)
    }

    @Test("a form in a tab whose half another tab has replaced says so, and goes on once the other tab has logged in")
    func forms() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let place = try #require(try fixture.request("GET", "/own", BrowserFixture.navigation).only("Location"))
        let (first, jar) = (CookieJar(fixture.gateway), CookieJar(fixture.gateway))
        let form = try first.send("GET", place)
        let other = try jar.send("GET", place)
        let typed = "username=joe&password=Welcome1"
        let refused = try jar.fill(form, place, typed)
        #expect(refused.status == 403 && refused.text.contains("name=\"ticket\""))
        #expect(try jar.fill(other, place, typed).status == 303)
        #expect(try jar.fill(form, place, typed).only("Location") == "/own")
        // After a logout, a form that is sent again logs in no user.
        let question = try jar.send("GET", "/oauth2/logout")
        #expect(try jar.fill(question, "/oauth2/logout", "").status == 200)
        #expect(try jar.fill(other, place, typed).status == 403 && jar["portcullis"] == nil)
    }

    @Test("cookies of the same name, garbled and long ones never send a browser around in a circle")
    func cookies() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        func visit(_ cookie: String) throws -> Response {
            let field = Field(name: "Cookie", value: cookie)
            return try fixture.request("GET", "/app/x", BrowserFixture.navigation + [field])
        }
        #expect(try provider.logIn(jar, "/app/x", typing: "sub=ann").answer.status == 303)
        let one = try #require(jar["portcullis"])
        for other in ["x", "", String(repeating: "A", count: 3000), String(one.dropLast(3))] {
            #expect(try visit("portcullis=\(other); portcullis=\(one)").status == 200, "\(other.prefix(20))")
            #expect(try visit("portcullis=\(one); portcullis=\(other)").status == 200, "\(other.prefix(20))")
            #expect(try visit("portcullis=\(other)").status == 302)
        }
        let second = CookieJar(fixture.gateway)
        #expect(try provider.logIn(second, "/app/x", typing: "sub=bob").answer.status == 303)
        // No login would tell whose page it is.
        let both = try visit("portcullis=\(one); portcullis=\(try #require(second["portcullis"]))")
        #expect(both.status == 400, "\(both.status)")
    }
}
