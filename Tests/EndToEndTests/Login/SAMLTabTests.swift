import Testing

/// Logins at a SAML provider in several tabs of a browser: each completes by itself. Skipped without `PORTCULLIS_PYTHON`.
@Suite(.enabled(if: LoginProvider.python != nil), .serialized) struct SAMLTabTests {
    private func gateway(_ provider: SAMLLoginProvider) throws -> Fixture {
        try provider.gateway {
            for section in ["serviceDomains", "webgates", "authenticationSchemes"] { $0[section] = nil }
            $0["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
            $0["routes"] = FixtureSettings.list([#"{"path": "/app/**", "upstream": "stub", "login": "outside"}"#])
        }
    }

    @Test("tabs that are opened at once each come to their page, in any order of the answers", arguments: [2, 8])
    func tabs(_ count: Int) throws {
        let provider = try SAMLLoginProvider()
        let fixture = try gateway(provider)
        for order in [Array(0..<count), (0..<count).reversed()] {
            let jar = CookieJar(fixture.gateway)
            // None of them has a cookie when it asks; the last one of each name stays.
            let places = try (0..<count).map { tab in
                let fresh = CookieJar(fixture.gateway)
                let place = try provider.begin(fresh, "/app/\(tab)")
                for cookie in fresh.cookies { jar[cookie.name] = cookie.value }
                return place
            }
            #expect(jar.loginsUnderWay.count == count)
            for tab in order {
                let answer = try provider.follow(jar, provider.post(provider.answer(places[tab]), fixture))
                #expect(answer.status == 303 && answer.only("Location") == "/app/\(tab)", "\(answer.text)")
                #expect(try jar.send("GET", "/app/\(tab)").status == 200)
            }
            #expect(jar.loginsUnderWay.isEmpty)
            #expect(try fixture.lastRequest("/app/0").head.values("Cookie").isEmpty)
        }
    }

    @Test("logins that never end are bounded, oldest first, and another browser has none of them")
    func bounded() throws {
        let provider = try SAMLLoginProvider()
        let fixture = try gateway(provider)
        let jar = CookieJar(fixture.gateway)
        let first = try provider.begin(jar, "/app/first")
        for tab in 0..<12 {
            _ = try provider.begin(jar, "/app/\(tab)")
            #expect(jar.loginsUnderWay.count <= 8)
        }
        let last = try provider.begin(jar, "/app/last")
        let late = try provider.follow(jar, provider.post(provider.answer(first), fixture))
        #expect(late.status == 403 && jar["portcullis"] == nil, "\(late.status)")
        let stranger = CookieJar(fixture.gateway)
        _ = try provider.begin(stranger, "/app/x")
        let stolen = try provider.follow(stranger, provider.post(provider.answer(last), fixture))
        #expect(stolen.status == 403 && stranger["portcullis"] == nil)
        let answer = try provider.follow(jar, provider.post(provider.answer(provider.begin(jar, "/app/y")), fixture))
        #expect(answer.only("Location") == "/app/y", "\(answer.text)")
    }
}
