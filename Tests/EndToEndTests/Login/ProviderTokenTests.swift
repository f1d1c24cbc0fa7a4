import Foundation
import TestSupport
import Testing

/// Tokens of providers that logins keep: for APIs, and to ask whether a login still holds.
@Suite(.tags(.core)) struct ProviderTokenTests {
    private static let navigation = BrowserFixture.navigation

    /// Two gateways, with a clock each, that share sessions, in front of an API that wants the provider's token.
    private struct Nodes {
        let nodes: SharedStoreNodes
        let provider: StubProvider
        let clocks: [SteppedClock]
        /// A browser at the first gateway, logged in, and the same at the second.
        let jars: [CookieJar]

        init(_ sessions: String = "", _ change: (inout StubProvider.State) -> Void = { _ in }) throws {
            let provider = try StubProvider()
            provider.state.withLock(change)
            self.provider = provider
            let clocks = [try SteppedClock(), try SteppedClock()]
            self.clocks = clocks
            func prepare(_ settings: inout FixtureSettings, _ own: String) {
                settings["baseUrl"] = "\"\(own)\""
                settings["identityProviders"] = #"[{"name": "outside", \#(provider.entry)}]"#
                settings["backends"] = FixtureSettings.backends.replacing(#", "enableSso": true"#, with: "")
                settings["sessions"] = #"{"lifetime": "48h", "idleTimeout": "0s"\#(sessions)}"#
                settings["routes"] = FixtureSettings.list(ProviderTokenTests.routes)
            }
            nodes = try SharedStoreNodes(clocks: clocks) { prepare(&$0, "http://127.0.0.1:1") }
            let own = "http://127.0.0.1:\(try nodes.gateways[0].port())"
            for (place, gateway) in nodes.gateways.enumerated() {
                let text = try nodes.directories[place].read("gateway.json")
                try nodes.directories[place].write(
                    "gateway.json", text.replacing("http://127.0.0.1:1\"", with: own + "\""))
                try nodes.admin(place, "POST", "/admin/reload")
                _ = gateway
            }
            jars = nodes.gateways.map(CookieJar.init)
            try provider.logIn(jars[0], "/api")
            jars[1]["portcullis"] = jars[0]["portcullis"]
        }

        /// Both clocks, and the provider's with them.
        func step(to seconds: Int64) throws {
            for clock in clocks { try clock.step(to: seconds) }
            provider.state.withLock { $0.ahead = Int(seconds) }
        }

        func injected(_ path: String = "/api") -> [String?] {
            nodes.upstream.requests(path).map { $0.only("Authorization") }
        }
    }

    private static let routes = [
        #"{"path": "/api", "upstream": "stub", "login": {"providers": "outside", "tokens": true}, "injection": {"from": "login"}}"#,
        #"{"path": "/page", "upstream": "stub", "login": "outside"}"#,
    ]

    @Test("an API gets the access token of the login, and nothing of the session")
    func injected() throws {
        let provider = try StubProvider()
        let fixture = try provider.gateway("", Self.routes)
        let jar = CookieJar(fixture.gateway)
        try provider.logIn(jar, "/api")
        for _ in 0..<3 { #expect(try jar.send("GET", "/api").status == 200) }
        let seen = try fixture.lastRequest("/api")
        #expect(seen.only("Authorization") == "Bearer at-1" && seen.only("Cookie") == nil)
        #expect(provider.renewals.isEmpty)
        // Another session of the same user has its own.
        let other = CookieJar(fixture.gateway)
        try provider.logIn(other, "/api")
        #expect(try other.send("GET", "/api").status == 200)
        #expect(try fixture.lastRequest("/api").only("Authorization") == "Bearer at-2")
        // A page that does not ask for it gets none.
        #expect(try jar.send("GET", "/page").status == 200)
        #expect(try fixture.lastRequest("/page").only("Authorization") == nil)
        // The store has it encrypted only, and no event names it.
        #expect(!fixture.gateway.everythingWritten.contains("at-1"))
    }

    @Test("20 requests at two gateways renew an expired token once")
    func renewedOnce() throws {
        let nodes = try Nodes()
        for jar in nodes.jars { #expect(try jar.send("GET", "/api").status == 200) }
        try nodes.step(to: 700)
        let gate = Gate()
        nodes.provider.state.withLock { $0.gate = gate }
        let statuses = Monitor<[Int]>([])
        for number in 0..<20 {
            let (process, field) = (nodes.nodes.gateways[number % 2], nodes.jars[0].field)
            Thread.detachNewThread {
                let status = try? process.request("GET", "/api", Self.navigation + field).status
                statuses.withLock { $0.append(status ?? 0) }
            }
        }
        #expect(nodes.provider.server.waitForRequests(2, "/token").count == 2)
        gate.open()
        #expect(statuses.wait { $0.count == 20 ? $0 : nil } == Array(repeating: 200, count: 20))
        #expect(nodes.provider.renewals == ["rt-1"])
        #expect(nodes.injected().suffix(20).allSatisfy { $0 == "Bearer at-2" }, "\(nodes.injected())")
    }

    @Test("a token is renewed ahead of its end, while the one in use serves")
    func ahead() throws {
        let nodes = try Nodes()
        #expect(try nodes.jars[0].send("GET", "/api").status == 200)
        // Of 600 seconds, less 30, the last fifth has begun.
        try nodes.step(to: 500)
        let gate = Gate()
        nodes.provider.state.withLock { $0.gate = gate }
        #expect(try nodes.jars[0].send("GET", "/api").status == 200)
        #expect(nodes.injected().last == "Bearer at-1")
        // The other gateway leaves it to the first.
        #expect(nodes.provider.server.waitForRequests(2, "/token").count == 2)
        #expect(try nodes.jars[1].send("GET", "/api").status == 200)
        gate.open()
        let isRenewed = try nodes.nodes.waitUntil {
            try nodes.jars[1].send("GET", "/api").status == 200 && nodes.injected().last == "Bearer at-2"
        }
        #expect(isRenewed)
        #expect(nodes.provider.renewals == ["rt-1"])
    }

    @Test("a provider that refuses the renewal ends the session, at all gateways")
    func refused() throws {
        let nodes = try Nodes()
        #expect(try nodes.jars[1].send("GET", "/page").status == 200)
        try nodes.step(to: 700)
        nodes.provider.state.withLock {
            $0.renewal = [.reply("400 Bad Request", body: #"{"error": "invalid_grant"}"#)]
        }
        let sent = try nodes.jars[0].send("GET", "/api")
        #expect(sent.status == 302 && sent.only("Location")?.hasPrefix("/oauth2/login?target=") == true, "\(sent.text)")
        #expect(nodes.nodes.gateways[0].waitForAccess { $0["reason"].string == "login_ended" } != nil)
        #expect(try nodes.nodes.waitUntil { try nodes.jars[1].send("GET", "/page").status == 302 })
        // A program is asked for a credential.
        let program = try nodes.jars[0].send("GET", "/api", ["Accept: application/json"])
        #expect(program.status == 401 && program.only("WWW-Authenticate") != nil)
        #expect(nodes.injected().isEmpty)
        // The next login counts.
        nodes.provider.state.withLock { $0.renewal = nil }
        try nodes.provider.logIn(nodes.jars[0], "/api")
        #expect(try nodes.jars[0].send("GET", "/api").status == 200)
    }

    @Test("an outage of the provider keeps the session until the token's end and staleAfter")
    func outage() throws {
        let nodes = try Nodes(#", "staleAfter": "20m""#)
        #expect(try nodes.jars[0].send("GET", "/api").status == 200)
        nodes.provider.state.withLock { $0.renewal = [.reply("503 Service Unavailable")] }
        // Until its end the token serves.
        try nodes.step(to: 580)
        #expect(try nodes.jars[1].send("GET", "/api").status == 200)
        try nodes.step(to: 700)
        let refused = try nodes.jars[0].send("GET", "/api")
        #expect(refused.status == 503 && refused.only("Retry-After") != nil, "\(refused.status)")
        #expect(try nodes.jars[0].send("GET", "/page").status == 200)
        // Back in time.
        try nodes.step(to: 1700)
        nodes.provider.state.withLock { $0.renewal = nil }
        #expect(try nodes.jars[0].send("GET", "/api").status == 200)
        #expect(nodes.injected().last == "Bearer at-2")
        // Not in time.
        nodes.provider.state.withLock { $0.renewal = [.reply("503 Service Unavailable")] }
        try nodes.step(to: 3600)
        #expect(try nodes.jars[0].send("GET", "/api").status == 302)
        #expect(try nodes.jars[0].send("GET", "/page").status == 302)
    }

    @Test(
        "a provider that has changed the refresh token and whose answer is lost is asked again, and a refusal ends the login"
    )
    func lost() throws {
        let nodes = try Nodes()
        try nodes.step(to: 700)
        // The connection ends without the answer, which had a new refresh token.
        nodes.provider.state.withLock { $0.losesAnswer = true }
        #expect(try nodes.jars[0].send("GET", "/api").status == 503)
        #expect(try nodes.jars[0].send("GET", "/page").status == 200)
        nodes.provider.state.withLock { $0.losesAnswer = false }
        try nodes.step(to: 710)
        #expect(try nodes.jars[0].send("GET", "/api").status == 302)
        #expect(Set(nodes.provider.renewals) == ["rt-1"])
    }

    @Test("a token that the API refuses is renewed once, and the request repeated")
    func refusedByAPI() throws {
        let provider = try StubProvider()
        let fixture = try provider.gateway("", Self.routes)
        fixture.upstream.on("/api") { request in
            request.only("Authorization") == "Bearer at-1" ? [.reply("401 Unauthorized")] : [.reply()]
        }
        let jar = CookieJar(fixture.gateway)
        try provider.logIn(jar, "/api")
        #expect(try jar.send("GET", "/api").status == 200)
        #expect(provider.renewals == ["rt-1"])
        #expect(try fixture.lastRequest("/api").only("Authorization") == "Bearer at-2")
    }

    @Test("a provider whose tokens are over at once sends no browser around in a circle")
    func short() throws {
        let nodes = try Nodes { ($0.lifetime, $0.refreshes) = (5, false) }
        try nodes.step(to: 7)
        let answer = try nodes.jars[0].send("GET", "/api")
        #expect(answer.status == 502, "\(answer.status) \(answer.text)")
        #expect(try nodes.jars[0].send("GET", "/page").status == 200)
        // Later a login is worth a try.
        try nodes.step(to: 60)
        #expect(try nodes.jars[0].send("GET", "/api").status == 302)
    }

    @Test("an ID token of another user renews nothing")
    func otherUser() throws {
        let nodes = try Nodes()
        try nodes.step(to: 700)
        nodes.provider.state.withLock { $0.subject = "eve" }
        #expect(try nodes.jars[0].send("GET", "/api").status == 302)
        #expect(nodes.injected().isEmpty)
    }

    @Test("an issuer exchanges the token of the login for one of its own, or its ID token", arguments: [false, true])
    func exchanged(isIDToken: Bool) throws {
        let provider = try StubProvider()
        let server = try StubUpstream()
        server.on("/token") { _ in IssuedElsewhere.token("exchanged") }
        let type = isIDToken ? #", "subjectTokenType": "urn:ietf:params:oauth:token-type:id_token""# : ""
        let fixture = try LoginProvider.plainGateway(provider.entry) {
            $0["issuers"] = """
                {"local": {"module": "embedded"},
                 "other": {"module": "oauth2", "tokenEndpoint": "\(server.url)/token", "allowHttp": true,
                           "grant": "token-exchange", "clientId": "gateway", "clientSecret": "secret"\(type)}}
                """
            $0["routes"] = FixtureSettings.list([
                #"{"path": "/api", "upstream": "stub", "login": {"providers": "outside", "tokens": true}, "injection": {"issuer": "other"}}"#,
                #"{"path": "/none", "upstream": "stub", "login": {"providers": "outside"}, "injection": {"issuer": "other"}}"#,
            ])
        }
        let jar = CookieJar(fixture.gateway)
        try provider.logIn(jar, "/api")
        for _ in 0..<2 { #expect(try jar.send("GET", "/api").status == 200) }
        #expect(try fixture.lastRequest("/api").only("Authorization") == "Bearer exchanged")
        let forms = server.requests("/token").map { String(decoding: $0.body, as: UTF8.self) }
        #expect(forms.count == 1)
        #expect(forms.first?.contains(isIDToken ? "subject_token=ey" : "subject_token=at-1&") == true)
        // A route whose logins are not to pass tokens on has none to exchange.
        #expect(try jar.send("GET", "/none").status == 403)
    }

    @Test("the provider is asked every so often whether the login holds, once for all gateways; else the session ends")
    func recheck() throws {
        let provider = try StubProvider()
        provider.state.withLock { $0.lifetime = 100_000 }
        let route = #"{"path": "/page", "upstream": "stub", "login": {"providers": "outside", "recheck": "10m"}}"#
        let clock = try SteppedClock()
        let fixture = try LoginProvider.plainGateway(provider.entry, environment: clock.environment) {
            $0["routes"] = FixtureSettings.list([route])
            $0["sessions"] = #"{"lifetime": "48h", "idleTimeout": "0s", "staleAfter": "5m"}"#
        }
        func step(_ seconds: Int64) throws {
            try clock.step(to: seconds)
            provider.state.withLock { $0.ahead = Int(seconds) }
        }
        let jar = CookieJar(fixture.gateway)
        try provider.logIn(jar, "/page")
        for _ in 0..<2 { #expect(try jar.send("GET", "/page").status == 200) }
        #expect(provider.renewals.isEmpty)
        try step(650)
        for _ in 0..<3 { #expect(try jar.send("GET", "/page").status == 200) }
        #expect(provider.renewals == ["rt-1"])
        // The upstream gets no token.
        #expect(try fixture.lastRequest("/page").only("Authorization") == nil)
        // While the provider does not answer, the login holds for a time.
        provider.state.withLock { $0.renewal = [.reply("503 Service Unavailable")] }
        try step(1400)
        #expect(try jar.send("GET", "/page").status == 200)
        provider.state.withLock { $0.renewal = nil }
        try step(1410)
        #expect(try jar.send("GET", "/page").status == 200)
        // The user is gone.
        provider.state.withLock { $0.renewal = [.reply("400 Bad Request", body: #"{"error": "invalid_grant"}"#)] }
        try step(2100)
        #expect(try jar.send("GET", "/page").status == 302)
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "login_ended" } != nil)
        #expect(try jar.send("GET", "/page").status == 302)
    }
}
