import Foundation
import Testing

/// Tokens for upstreams that another server issues (ISS-03, ISS-05, CACHE-02, CACHE-05): what goes well.
@Suite struct OutsideTokenTests {
    @Test("ISS-05 CACHE-01: one token endpoint call provides the token for every request")
    func oneCall() throws {
        let outside = try IssuedElsewhere { _, number in IssuedElsewhere.token("t-\(number)") }
        let joe = try outside.fixture.token("joe")
        for _ in 0..<20 { #expect(try outside.fixture.request("GET", "/inventory/me", [.bearer(joe)]).status == 200) }
        #expect(outside.calls.count == 1)
        #expect(
            Set(outside.fixture.upstream.requests("/inventory/me").map { $0.only("Authorization") }) == ["Bearer t-0"])
        #expect(outside.form(0) == "grant_type=client_credentials")
        #expect(outside.calls[0].only("Authorization") == "Basic \(JSONWebToken.base64("gateway:secret"))")
        #expect(try outside.count("issued") == 1)
        // CACHE-03: another caller has another token.
        #expect(
            try outside.fixture.request("GET", "/inventory/me", [.bearer(outside.fixture.token("ann"))]).status == 200)
        #expect(try outside.injected() == "Bearer t-1")
    }

    @Test("CACHE-02: fifty concurrent first requests share one call")
    func singleFlight() throws {
        let gate = Gate()
        let outside = try IssuedElsewhere { _, number in [.wait(gate)] + IssuedElsewhere.token("t-\(number)") }
        let request = RawConnection.request("GET", "/inventory/me", [.bearer(try outside.fixture.token("joe"))])
        let connections = try (0..<50).map { _ in try outside.fixture.connect() }
        for connection in connections { try connection.send(request) }
        let deadline = Deadline.usual
        while try outside.fixture.gateway.metrics().sum("portcullis_requests_in_flight") ?? 0 < 51, !deadline.isPast {}
        gate.open()
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(outside.calls.count == 1)
        #expect(
            outside.fixture.upstream.requests("/inventory/me").allSatisfy { $0.only("Authorization") == "Bearer t-0" })
    }

    @Test("with an account of the gateway, all callers share one token")
    func shared() throws {
        let outside = try IssuedElsewhere(#", "perCaller": false"#) { _, number in IssuedElsewhere.token("t-\(number)")
        }
        for user in ["joe", "ann", "bob"] {
            let token = try outside.fixture.token(user)
            #expect(try outside.fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        }
        #expect(outside.calls.count == 1)
    }

    /// The skew is 30 seconds: a token for 31 is used for one.
    @Test("ISS-05: after expiry the refresh token is used, and never a revoked one")
    func refresh() throws {
        let isRefused = Monitor(false)
        let outside = try IssuedElsewhere { request, number in
            let form = String(decoding: request.body, as: UTF8.self)
            if form.contains("grant_type=refresh_token"), isRefused.current {
                return [.reply("400 Bad Request", body: #"{"error": "invalid_grant"}"#)]
            }
            return IssuedElsewhere.token("t-\(number)", seconds: 31, #", "refresh_token": "r-\#(number)""#)
        }
        let joe = try outside.fixture.token("joe")
        func untilCalls(_ count: Int) throws {
            let deadline = Deadline.usual
            while outside.calls.count < count, !deadline.isPast {
                #expect(try outside.fixture.request("GET", "/inventory/me", [.bearer(joe)]).status == 200)
            }
        }
        try untilCalls(2)
        #expect(outside.form(1) == "grant_type=refresh_token&refresh_token=r-0")
        isRefused.withLock { $0 = true }
        try untilCalls(4)
        let later = (2..<outside.calls.count).map { outside.form($0) }
        #expect(later.contains { $0.hasPrefix("grant_type=refresh_token") })
        #expect(later.contains("grant_type=client_credentials"))
    }

    @Test("RFC 8693: a caller's token is exchanged once per caller; a password cannot be exchanged")
    func exchange() throws {
        let outside = try IssuedElsewhere(grant: "token-exchange") { _, number in IssuedElsewhere.token("t-\(number)") }
        for _ in 0..<2 {
            let token = try outside.fixture.token("joe")
            for _ in 0..<2 {
                #expect(try outside.fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
            }
            #expect(outside.form(outside.calls.count - 1).contains("subject_token=\(token)"))
        }
        #expect(outside.calls.count == 2)
        let response = try outside.fixture.request(
            "GET", "/inventory/me", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(response.status == 403)
        #expect(JSONText(response.text)["code"].string == "issuer_credential_missing")
        #expect(outside.fixture.gateway.waitForAccess { $0["reason"].string == "issuer_credential_missing" } != nil)
        #expect(outside.calls.count == 2)
    }

    @Test("ISS-03: a login API described in JSON yields a token, sent in a header")
    func login() throws {
        let server = try StubUpstream()
        server.on("/login/joe") { _ in [.reply("201 Created", ["X-Session: sid-1", "X-Ends: 500"], body: "welcome")] }
        let fixture = try Fixture { settings in
            settings["issuers"] = """
                {"local": {"module": "http", "method": "PUT", "url": "\(server.url)/login/{subject}", "allowHttp": true,
                           "headers": {"X-Key": "{secret:key}"}, "secrets": {"key": "k 1"},
                           "json": {"backend": "{backend}/{backendVersion}", "roles": "{roles}"}, "status": [201],
                           "token": {"header": "X-Session"}, "lifetime": {"header": "X-Ends"}}}
                """
        }
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(fixture.token("joe"))]).status == 200)
        #expect(try fixture.lastRequest("/inventory/me").only("Authorization") == "Bearer sid-1")
        let asked = try #require(server.requests("/login/joe").first)
        #expect(asked.method == "PUT" && asked.only("X-Key") == "k 1")
        #expect(String(decoding: asked.body, as: UTF8.self) == #"{"backend":"inventory/1.0","roles":"Manager"}"#)
    }

    @Test("ISS-01: check reports each error with its location")
    func check() throws {
        let cases: [(issuer: String, expected: String)] = [
            (#"{"module": "oauth3"}"#, #"/issuers/local/module: there is no module "oauth3""#),
            (
                #"{"module": "embedded", "algorithm": "HS256"}"#,
                "/issuers/local/algorithm: HS algorithms are for tokens that the gateway itself verifies"
            ),
            (
                #"{"module": "static"}"#,
                #"/issuers/local/token: required member "token" is missing (expected a secret)"#
            ),
            (
                #"{"module": "static", "token": "x", "tokn": "x"}"#,
                #"/issuers/local/tokn: unknown member "tokn" (did you mean "token"?)"#
            ),
            (
                #"{"module": "static", "token": "a b"}"#,
                "/issuers/local/token: the token cannot stand in a header field (expected visible ASCII without blanks)"
            ),
            (#"{"module": "oauth2", "clientId": "x"}"#, "/issuers/local: there is no token endpoint"),
            (
                #"{"module": "oauth2", "clientId": "x", "tokenEndpoint": "http://as/t"}"#,
                "/issuers/local/tokenEndpoint: not encrypted"
            ),
            (
                #"{"module": "oauth2", "clientId": "x", "tokenEndpoint": "https://as/t", "grant": "password"}"#,
                #"/issuers/local/username: required member "username" is missing (expected "username" beside "grant": "password")"#
            ),
            (
                #"{"module": "oauth2", "clientId": "x", "tokenEndpoint": "https://as/t", "grant": "saml2-bearer"}"#,
                #"/issuers/local/assertion: required member "assertion" is missing (expected "assertion" beside "grant": "jwt-bearer" or "grant": "saml2-bearer")"#
            ),
            (
                #"{"module": "oauth2", "clientId": "x", "tokenEndpoint": "https://as/t", "circuitBreaker": {"failure": 1}}"#,
                #"/issuers/local/circuitBreaker/failure: unknown member "failure" (did you mean "failures"?)"#
            ),
            (
                #"{"module": "remote", "url": "https://as/{nobody}"}"#, "/issuers/local/url: there is no place {nobody}"
            ),
            (
                #"{"module": "embedded", "allowedHosts": ["api.example.com"]}"#,
                #"tokens of the issuer "local" must not go to "127.0.0.1""#
            ),
        ]
        let directory = try ConfigurationDirectory()
        for (issuer, expected) in cases {
            var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
            settings["issuers"] = #"{"local": \#(issuer)}"#
            try directory.write("gateway.json", settings.text)
            let result = try CommandLine.run("check", directory.path)
            #expect(result.ending == .exit(1), "\(issuer)")
            #expect(result.errors.contains(expected), "\(issuer)\n\(result.errors)")
        }
    }

    @Test("the documented example is a valid configuration")
    func example() throws {
        let directory = try ConfigurationDirectory()
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["issuers"] = nil
        try directory.write("gateway.json", settings.text)
        try directory.write("issuers.json", Vectors.text("config/examples/issuers.json"))
        let environment = ["PARTNER_SECRET": "s", "LEGACY_KEY": "k", "OAM_PASSWORD": "p"]
        let result = try CommandLine.run("check", directory.path, environment: environment)
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(try CommandLine.run("check", directory.path).errors.contains("/issuers/legacy/secrets/key"))
    }
}
