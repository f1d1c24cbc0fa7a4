import Foundation
import Glibc
import Testing

/// Trusted issuers that publish their keys (JWT-30 to JWT-38): the running gateway against issuers of every kind.
@Suite(.tags(.engine)) struct PublishedKeysTests {
    private func fixture(_ entries: String...) throws -> Fixture {
        try Fixture { $0["trustedIssuers"] = FixtureSettings.list(entries) }
    }

    private func get(_ fixture: Fixture, _ token: String) throws -> Response {
        try fixture.request("GET", "/plain", [.bearer(token)])
    }

    private func ready(_ fixture: Fixture) throws -> Response { try fixture.admin("GET", "/readyz") }

    /// Waits for the keys that are fetched at the start.
    private func prefetched(_ fixture: Fixture) throws {
        _ = try #require(fixture.gateway.waitForEvent("keys_fetched"), "\(fixture.gateway.everythingWritten)")
    }

    // MARK: Documents

    @Test("JWT-30, JWT-37: keys are discovered and fetched")
    func keysAreDiscovered() throws {
        let issuer = try StubIssuer(keys: "a", authorization: "Basic dGVzdDp0ZXN0")
        let fixture = try fixture(issuer.entry(#""authorizationHeader": "Basic dGVzdDp0ZXN0""#))
        try prefetched(fixture)
        for _ in 0..<2 { #expect(try get(fixture, issuer.token("a")).status == 200) }
        #expect(try fixture.lastRequest("/plain").only("X-Gateway-User") == "joe")
        #expect(issuer.discoveryCount == 1 && issuer.fetchCount == 1)
        #expect(try ready(fixture).text.firstMatch(of: /^ready\nissuer idp: 1 keys, \d+ s old\n$/) != nil)
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_issuer_keys", ["issuer": "idp"]) == 1)
        #expect(metrics.sum("portcullis_issuer_key_fetches_total", ["issuer": "idp", "outcome": "ok"]) == 1)
        #expect(metrics.sum("portcullis_outbound_calls_total", ["outcome": "answered"]) == 2)
        #expect(!fixture.gateway.everythingWritten.contains("dGVzdDp0ZXN0"))
    }

    @Test("JWT-37: the key request sends the configured credentials")
    func issuersMayWantCredentials() throws {
        let issuer = try StubIssuer(keys: "a", authorization: "Basic dGVzdDp0ZXN0")
        let fixture = try fixture(issuer.entry())
        let event = try #require(fixture.gateway.waitForEvent("keys_failed"))
        #expect(event["reason"].string == "discovery_status" && event["issuer"].string == "idp")
        #expect(try get(fixture, issuer.token("a")).status == 503)
    }

    @Test("JWT-31: jwksUri takes precedence over discovery")
    func jwksURITakesPrecedence() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry(#""jwksUri": "\#(issuer.server.url)/keys""#))
        try prefetched(fixture)
        #expect(try get(fixture, issuer.token("a")).status == 200)
        #expect(issuer.discoveryCount == 0 && issuer.fetchCount == 1)
    }

    @Test("JWT-30: another issuer's document and a redirect are refused")
    func foreignDocumentsAreRefused() throws {
        let issuer = try StubIssuer(keys: "a")
        issuer.server.on("/discovery") { _ in
            [.reply(body: #"{"issuer": "https://evil.example", "jwks_uri": "\#(issuer.server.url)/keys"}"#)]
        }
        issuer.server.on("/moved") { _ in [.reply("302 Found", ["Location: \(issuer.server.url)/keys"])] }
        let moved =
            #"{"name": "moved", "issuer": "https://moved.example", "audience": ["api"], "allowHttp": true,"#
            + #" "jwksUri": "\#(issuer.server.url)/moved"}"#
        let fixture = try fixture(issuer.entry(), moved)
        var reasons: Set<String> = []
        for place in 0..<2 {
            let event = try #require(fixture.gateway.waitForEvent("keys_failed", skipping: place))
            reasons.insert("\(event["issuer"].string ?? "") \(event["reason"].string ?? "")")
        }
        #expect(reasons == ["idp discovery_issuer", "moved keys_status"])
        #expect(issuer.fetchCount == 0)
        let response = try get(fixture, issuer.token("a"))
        #expect(response.status == 503)
    }

    // MARK: How often

    @Test("fifty concurrent first requests cause one fetch")
    func manyFirstRequestsMakeOneFetch() throws {
        let issuer = try StubIssuer(keys: "a")
        let gate = Gate()
        issuer.answer(gate: gate)
        let fixture = try fixture(issuer.entry())
        let connections = try (0..<50).map { _ in try fixture.connect() }
        for (i, connection) in connections.enumerated() {
            let token = issuer.token("a", subject: "user-\(i)")
            try connection.send(RawConnection.request("GET", "/plain", [.bearer(token)]))
        }
        let deadline = Deadline.usual
        while try (fixture.gateway.metrics().sum("portcullis_requests_in_flight") ?? 0) < 51, !deadline.isPast {}
        gate.open()
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(issuer.discoveryCount == 1 && issuer.fetchCount == 1)
    }

    @Test("JWT-33: unknown key ids do not cause a flood of fetches")
    func randomKeyIDsCauseNoFlood() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry())
        try prefetched(fixture)
        let connection = try fixture.connect()
        let known = issuer.token("a")
        for i in 0..<1000 {
            let token = issuer.token("stranger", kid: "random-\(i)")
            let response = try connection.exchange("GET", "/plain", [.bearer(token)])
            #expect(response.status == 401)
        }
        #expect(try connection.exchange("GET", "/plain", [.bearer(known)]).status == 200)
        #expect(issuer.fetchCount <= 2)
    }

    // MARK: Rotation

    @Test("JWT-33, JWT-34: a new key is found and a removed one refused, for cached tokens too")
    func rotationIsFollowed() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry(#""minReloadInterval": "1s""#))
        try prefetched(fixture)
        let old = issuer.token("a")
        #expect(try get(fixture, old).status == 200)
        issuer.publish(["a", "b"])
        let new = issuer.token("b")
        try until { try get(fixture, new).status == 200 }
        // The old key is still there, and so is what was verified with it.
        let misses = try fixture.gateway.metrics().sum("portcullis_cache_misses_total", ["cache": "verified_tokens"])
        #expect(try get(fixture, old).status == 200)
        #expect(misses != nil)
        issuer.publish(["b"])
        // A token names a key that is not there yet, and with its fetch the old one goes.
        try until {
            _ = try get(fixture, issuer.token("c", kid: "c-\(UInt32.random(in: 0...UInt32.max))"))
            return try get(fixture, old).status == 401
        }
        #expect(try get(fixture, new).status == 200)
        let events = fixture.gateway.events("keys_fetched", count: 3)
        #expect(events.map { $0["removed"].bool } == [false, false, true])
    }

    @Test("a key that is replaced under its kid is found, and tokens of the former one are refused")
    func replacedKeysAreFound() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry(#""minReloadInterval": "1s""#))
        try prefetched(fixture)
        let old = issuer.token("a")
        #expect(try get(fixture, old).status == 200)
        issuer.replace("a")
        let new = issuer.token("a")
        try until { try get(fixture, new).status == 200 }
        #expect(try get(fixture, old).status == 401)
    }

    @Test("wrong signatures with a known kid do not cause a flood of fetches")
    func wrongSignaturesCauseNoFlood() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry())
        try prefetched(fixture)
        let connection = try fixture.connect()
        for i in 0..<300 {
            let token = issuer.token("stranger", subject: "s\(i)", kid: "a")
            #expect(try connection.exchange("GET", "/plain", [.bearer(token)]).status == 401)
        }
        #expect(issuer.fetchCount <= 2)
        #expect(try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": "bad_signature"]) == 300)
    }

    @Test("issuer refresh makes the gateway fetch at once, by the name of the entry and by the issuer")
    func refresh() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry())
        try prefetched(fixture)
        let admin = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        func refresh(_ name: String) throws -> (ending: Program.Ending, output: String, errors: String) {
            try CommandLine.run(
                "issuer", "refresh", name, "--admin", admin, environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
        }
        for (count, name) in ["idp", StubIssuer.issuer].enumerated() {
            issuer.replace("a")
            let new = issuer.token("a")
            #expect(try get(fixture, new).status == 401)
            let done = try refresh(name)
            #expect(done.ending == .exit(0), "\(done.errors)")
            #expect(done.output == #"{"name":"idp","keys":1,"changed":true}"#)
            #expect(issuer.fetchCount == count + 2)
            #expect(try get(fixture, new).status == 200)
        }
        let audit = try #require(fixture.gateway.waitForEvent("audit"))
        #expect(audit["action"].string == "issuers.refresh" && audit["object"].string == "idp")
        let unknown = try refresh("ipd")
        #expect(unknown.ending == .exit(1))
        #expect(unknown.errors.contains(#"no issuer "ipd" publishes keys; did you mean "idp"?"#), "\(unknown.errors)")
        issuer.answer("500 Internal Server Error")
        let failed = try refresh("idp")
        #expect(failed.ending == .exit(1))
        #expect(failed.errors.contains("idp: the key set was answered with status 500"), "\(failed.errors)")
        #expect(try CommandLine.run("issuer", "refresh", "--admin", admin).ending == .exit(2))
    }

    @Test("keys are fetched before they expire, without a request")
    func keysAreRefreshedAhead() throws {
        let issuer = try StubIssuer(keys: "a")
        issuer.answer("200 OK", ["Cache-Control: max-age=2"])
        let fixture = try fixture(issuer.entry(#""minReloadInterval": "1s""#, address: "jwksUri"))
        try prefetched(fixture)
        issuer.publish(["a", "b"])
        #expect(issuer.server.waitForRequests(3, "/keys").count >= 3)
        #expect(try get(fixture, issuer.token("b")).status == 200)
    }

    @Test("a reload that does not change the issuer keeps its keys")
    func reloadsKeepTheKeys() throws {
        let issuer = try StubIssuer(keys: "a")
        let fixture = try fixture(issuer.entry())
        try prefetched(fixture)
        try fixture.reload { $0["trustedIssuers"] = FixtureSettings.list([issuer.entry(#""level": 2"#)]) }
        let known = try get(fixture, issuer.token("a"))
        #expect(
            known.status == 200,
            "\(known.text) \(issuer.server.requests.map(\.path)) \(fixture.gateway.everythingWritten)")
        #expect(issuer.discoveryCount == 1 && issuer.fetchCount == 1)
        // Other settings are another set.
        try fixture.reload { $0["trustedIssuers"] = FixtureSettings.list([issuer.entry(#""maxStale": "1h""#)]) }
        #expect(try get(fixture, issuer.token("a")).status == 200)
        #expect(issuer.fetchCount == 2)
    }

    // MARK: Outages

    @Test("during an outage unknown tokens are 503, and known keys stay in use")
    func outagesAreNotAuthenticationFailures() throws {
        var issuer: StubIssuer? = try StubIssuer(keys: "a")
        let entry = try #require(issuer?.entry(#""minReloadInterval": "1s""#))
        let port = try #require(issuer?.server.port)
        let old = try #require(issuer?.token("a"))
        let fixture = try fixture(entry)
        try prefetched(fixture)
        #expect(try get(fixture, old).status == 200)
        issuer?.server.stop()
        issuer = nil
        let stranger = try StubIssuer(keys: "b").token("b")
        try until { try get(fixture, stranger).status == 503 }
        let response = try get(fixture, stranger)
        #expect(response.status == 503 && response.only("Retry-After") != nil)
        #expect(JSONText(response.text)["code"].string == "keys_unavailable")
        #expect(response.only("WWW-Authenticate") == nil)
        #expect(try get(fixture, old).status == 200)
        #expect(try ready(fixture).status == 200)
        let back = try StubIssuer(keys: "b", port: port)
        try until { try get(fixture, back.token("b")).status == 200 }
        #expect(try get(fixture, old).status == 401)
    }

    @Test("the gateway is not ready before the issuer's first keys, unless it is optional")
    func theFirstKeysMakeItReady() throws {
        let port = try StubIssuer().server.port
        func entry(_ more: String) -> String {
            #"{"name": "idp", "issuer": "https://idp.example", "audience": ["api"], "allowHttp": true, "#
                + #""jwksUri": "http://127.0.0.1:\#(port)/keys"\#(more)}"#
        }
        let fixture = try fixture(entry(""))
        let optional = try self.fixture(entry(#", "optional": true"#))
        _ = try #require(fixture.gateway.waitForEvent("keys_failed"))
        let waiting = try ready(fixture)
        #expect(waiting.status == 503)
        #expect(waiting.text == "not ready\nwaiting for keys\nissuer idp: no keys, last fetch failed: keys_connect\n")
        #expect(try ready(optional).status == 200)
        let issuer = try StubIssuer(keys: "a", port: port)
        try prefetched(fixture)
        #expect(try ready(fixture).status == 200)
        #expect(try get(fixture, issuer.token("a")).status == 200)
    }

    @Test("JWT-35: a timeout ends the wait for a silent issuer; other issuers are unaffected")
    func silentIssuersCostTheirTimeAndNothingElse() throws {
        let silent = try StubIssuer(keys: "a")
        silent.answer(gate: Gate())
        let other = try StubIssuer(keys: "b")
        let entry = other.entry().replacing("\"idp\"", with: "\"other\"").replacing("idp.example", with: "idp2.example")
        other.server.on("/discovery") { _ in
            [.reply(body: #"{"issuer": "https://idp2.example", "jwks_uri": "\#(other.server.url)/keys"}"#)]
        }
        let fixture = try fixture(silent.entry(#""readTimeout": "1s""#), entry)
        let waiting = try fixture.connect()
        try waiting.send(RawConnection.request("GET", "/plain", [.bearer(silent.token("a"))]))
        try prefetched(fixture)
        #expect(try fixture.request("GET", "/open/x").status == 200)
        let response = try waiting.readResponse()
        #expect(response.status == 503)
        #expect(JSONText(response.text)["code"].string == "keys_unavailable")
        let event = try #require(fixture.gateway.waitForEvent("keys_failed"))
        #expect(event["reason"].string == "keys_timeout")
    }

    private func until(_ deadline: Deadline = .usual, _ condition: () throws -> Bool) throws {
        while try !condition() { try #require(!deadline.isPast, "it did not come to that") }
    }
}
