import Foundation
import Testing

/// Logins at service domains in several tabs of a browser, and callbacks that come again or in another browser: none is a
/// dead end. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil)) struct DomainTabTests {
    private func gateway(_ provider: LoginProvider) throws -> Fixture {
        try provider.gateway(
            client: #""clientSecret": "s3cret""#, users: #""usernameAttribute": "sub""#)
    }

    /// Where the provider sends a tab that was sent to it.
    private func callback(_ provider: LoginProvider, _ sent: Response) throws -> String {
        let location = try #require(sent.only("Location"), "\(sent.status) \(sent.text)")
        let back = try #require(URL(string: try provider.visit(location, typing: "sub=ann")))
        return "\(back.path)?\(back.query ?? "")"
    }

    @Test("tabs that are opened at once each come to their page, and a callback that is loaded again goes on")
    func tabs() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        let callbacks = try (0..<4).map { tab in
            let place = try #require(
                try fixture.request("GET", "/mobileapp?tab=\(tab)", BrowserFixture.navigation).only("Location"))
            // None of them has a cookie when it asks; the last one that is set stays.
            let fresh = CookieJar(fixture.gateway)
            let sent = try fresh.send("GET", place)
            jar["portcullis-login"] = fresh["portcullis-login"]
            return try callback(provider, sent)
        }
        for (tab, callback) in callbacks.enumerated() {
            var answer = try jar.send("GET", callback)
            if let location = answer.only("Location"), location.hasPrefix(provider.issuer) {
                answer = try jar.send("GET", try self.callback(provider, answer))
            }
            #expect(answer.only("Location") == "/mobileapp?tab=\(tab)", "\(answer.status) \(answer.text)")
            #expect(try jar.send("GET", "/mobileapp?tab=\(tab)").status == 200)
        }
        let session = jar["portcullis-form"]
        #expect(try jar.send("GET", callbacks[3]).only("Location") == "/mobileapp?tab=3")
        #expect(jar["portcullis-form"] == session)
        // The code of one browser logs in no other.
        let stranger = CookieJar(fixture.gateway)
        let begun = try stranger.send("GET", callbacks[0])
        #expect(begun.only("Location")?.hasPrefix(provider.issuer) == true && stranger["portcullis-form"] == nil)
        let image = try stranger.send("GET", callbacks[0], ["Sec-Fetch-Dest: image", "Sec-Fetch-Site: same-site"])
        #expect(image.status == 403, "an image of another page begins no login")
    }

    @Test("cookies of the same name, garbled and long ones never send a browser around in a circle")
    func cookies() throws {
        let provider = try LoginProvider(.mock)
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        #expect(try provider.logIn(jar, typing: "sub=ann").answer.status == 303)
        let one = try #require(jar["portcullis-form"])
        func visit(_ cookie: String) throws -> Int {
            let field = Field(name: "Cookie", value: cookie)
            return try fixture.request("GET", "/mobileapp", BrowserFixture.navigation + [field]).status
        }
        for other in ["x", "", String(repeating: "A", count: 3000), String(one.dropLast(3))] {
            #expect(try visit("portcullis-form=\(other); portcullis-form=\(one)") == 200, "\(other.prefix(20))")
            #expect(try visit("portcullis-form=\(one); portcullis-form=\(other)") == 200, "\(other.prefix(20))")
            #expect(try visit("portcullis-form=\(other)") == 302)
        }
        let second = CookieJar(fixture.gateway)
        #expect(try provider.logIn(second, typing: "sub=bob").answer.status == 303)
        // No login would tell whose page it is.
        #expect(try visit("portcullis-form=\(one); portcullis-form=\(try #require(second["portcullis-form"]))") == 400)
    }
}
