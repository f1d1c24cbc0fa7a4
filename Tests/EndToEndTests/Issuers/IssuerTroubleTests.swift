import Foundation
import Testing

/// What clients receive when tokens of their upstream are unavailable, and what is counted (ISS-03, CACHE-05).
@Suite struct IssuerTroubleTests {
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: [StubUpstream.Step]
        var members = ""
        var grant = "client_credentials"
        let status: Int
        let code: String
        let outcome: String
        var retryAfter: String?
    }

    static let troubles: [Trouble] = [
        Trouble(
            testDescription: "it ends the connection", answer: [.close], status: 502, code: "issuer_invalid_token",
            outcome: "invalid_token"),
        Trouble(
            testDescription: "it does not answer", answer: [.pause(.seconds(2)), .close],
            members: #", "readTimeout": "100ms""#, status: 503, code: "issuer_unavailable", outcome: "unavailable",
            retryAfter: "1"),
        Trouble(
            testDescription: "it is overloaded", answer: [.reply("503 Busy", ["Retry-After: 7"])], status: 503,
            code: "issuer_unavailable", outcome: "unavailable", retryAfter: "7"),
        Trouble(
            testDescription: "it answers in HTML", answer: [.reply(body: "<html>")], status: 502,
            code: "issuer_invalid_token", outcome: "invalid_token"),
        Trouble(
            testDescription: "its token has ended", answer: IssuedElsewhere.token("t", seconds: -1), status: 502,
            code: "issuer_invalid_token", outcome: "invalid_token"),
        Trouble(
            testDescription: "its token is two lines", answer: IssuedElsewhere.token(#"a\r\nX-Admin: yes"#),
            status: 502,
            code: "issuer_invalid_token", outcome: "invalid_token"),
        Trouble(
            testDescription: "it does not know the gateway",
            answer: [.reply("401 Unauthorized", body: #"{"error": "invalid_client"}"#)], status: 502,
            code: "issuer_misconfigured", outcome: "misconfigured"),
        Trouble(
            testDescription: "it refuses the caller",
            answer: [.reply("400 Bad Request", body: #"{"error": "invalid_grant"}"#)], grant: "token-exchange",
            status: 403, code: "issuer_refused", outcome: "refused"),
    ]

    @Test("each cause has its answer and counter, never 401, since the caller is authenticated", arguments: troubles)
    func cause(_ trouble: Trouble) throws {
        let outside = try IssuedElsewhere(trouble.members, grant: trouble.grant) { _, _ in trouble.answer }
        let joe = try outside.fixture.token("joe")
        let response = try outside.fixture.request("GET", "/inventory/me", [.bearer(joe)])
        #expect(response.status == trouble.status)
        #expect(JSONText(response.text)["code"].string == trouble.code)
        #expect(response.only("Retry-After") == trouble.retryAfter && response.only("WWW-Authenticate") == nil)
        #expect(try outside.count(trouble.outcome) == 1)
        #expect(outside.fixture.upstream.requests("/inventory/me").isEmpty)
        #expect(outside.fixture.gateway.waitForAccess { $0["reason"].string == trouble.code } != nil)
        // The gateway is ready all the same, and says what is amiss.
        let readiness = try outside.fixture.admin("GET", "/readyz")
        #expect(readiness.status == 200)
        if trouble.outcome != "refused" {
            #expect(readiness.text.contains("tokens of local: ") && readiness.text.contains(trouble.code))
        }
        // Other requests are not held up.
        #expect(try outside.fixture.request("GET", "/open/x").status == 200)
    }

    @Test("story 12: an outage is 503 for misses and 200 for hits, causes few calls, and ends by itself")
    func outage() throws {
        let isUp = Monitor(true)
        let outside = try IssuedElsewhere(#", "circuitBreaker": {"failures": 3, "pause": "200ms"}"#) { _, number in
            isUp.current ? IssuedElsewhere.token("t-\(number)") : [.reply("500 Oops")]
        }
        let joe = try outside.fixture.token("joe")
        let ann = try outside.fixture.token("ann")
        func status(_ token: String) throws -> Int {
            try outside.fixture.request("GET", "/inventory/me", [.bearer(token)]).status
        }
        #expect(try status(joe) == 200)
        isUp.withLock { $0 = false }
        let deadline = Deadline.usual
        var misses = 0
        while try outside.fixture.gateway.metrics().sum("portcullis_issuer_breaker_state", ["issuer": "local"]) != 2,
            !deadline.isPast
        {
            #expect(try status(ann) == 503)
            #expect(try status(joe) == 200)
            misses += 1
        }
        #expect(misses >= 3 && outside.calls.count <= 5)
        #expect(outside.fixture.gateway.waitForEvent("issuer_left_alone") != nil)
        #expect(try outside.fixture.admin("GET", "/readyz").text.contains("tokens of local: left alone"))
        isUp.withLock { $0 = true }
        var healed = 0
        while healed != 200, !deadline.isPast { healed = try status(ann) }
        #expect(healed == 200)
        #expect(outside.fixture.gateway.waitForEvent("issuer_recovered") != nil)
        #expect(try outside.fixture.gateway.metrics().sum("portcullis_issuer_breaker_state", ["issuer": "local"]) == 0)
    }

    @Test("a token refused by the upstream is replaced without the client noticing")
    func revocation() throws {
        let outside = try IssuedElsewhere { _, number in IssuedElsewhere.token("t-\(number)") }
        let revoked = Monitor<Set<String>>([])
        outside.fixture.upstream.on("/inventory/me") { request in
            let token = request.only("Authorization") ?? ""
            return [.reply(revoked.current.contains(token) ? "401 Unauthorized" : "200 OK", body: "x")]
        }
        let joe = try outside.fixture.token("joe")
        #expect(try outside.fixture.request("GET", "/inventory/me", [.bearer(joe)]).status == 200)
        revoked.withLock { _ = $0.insert("Bearer t-0") }
        // All of them hold the revoked one, and one call replaces it.
        let request = RawConnection.request("GET", "/inventory/me", [.bearer(joe)])
        let connections = try (0..<20).map { _ in try outside.fixture.connect() }
        for connection in connections { try connection.send(request) }
        for connection in connections { #expect(try connection.readResponse().status == 200) }
        #expect(outside.calls.count == 2)
        #expect(try outside.injected() == "Bearer t-1")
        #expect(try outside.fixture.gateway.metrics().sum("portcullis_issued_tokens_refused_total") == 1)
    }

    /// Usable for two seconds each, in the midst of traffic: every token ends while it is in use. The upstream knows when.
    @Test("CACHE-05: no expired token is injected under expiry, slowness and outages")
    func load() throws {
        let ends = Monitor<[String: Date]>([:])
        let outside = try IssuedElsewhere(
            "",
            {
                $0["issuedTokenCache"] = #"{"skew": "1s"}"#
            }
        ) { _, number in
            if number % 4 == 3 { return [.reply("503 Busy")] }
            ends.withLock { $0["Bearer t-\(number)"] = Date().addingTimeInterval(3) }
            let token = IssuedElsewhere.token("t-\(number)", seconds: 3)
            return number % 2 == 1 ? [.pause(.milliseconds(150))] + token : token
        }
        let ended = Monitor(0)
        outside.fixture.upstream.on("/inventory/me", body: .discard) { request in
            let end = ends.current[request.only("Authorization") ?? ""] ?? .distantPast
            if Date() >= end { ended.withLock { $0 += 1 } }
            return [.reply()]
        }
        let joe = RawConnection.request("GET", "/inventory/me", [.bearer(try outside.fixture.token("joe"))])
        let ann = RawConnection.request("GET", "/inventory/me", [.bearer(try outside.fixture.token("ann"))])
        let clients = try (0..<8).map { _ in try outside.fixture.connect() }
        var statuses: [Int: Int] = [:]
        let deadline = Deadline.after(.seconds(8))
        while !deadline.isPast {
            for (place, client) in clients.enumerated() { try client.send(place % 2 == 0 ? joe : ann) }
            for client in clients { statuses[try client.readResponse().status, default: 0] += 1 }
        }
        #expect(ended.current == 0)
        #expect(Set(statuses.keys).isSubset(of: [200, 503]), "\(statuses)")
        let issued = try outside.count("issued")
        // For each of the two one about every two seconds, and no more than there were calls.
        #expect(issued >= 4 && issued <= 16, "\(issued)")
        #expect(try outside.count("unavailable") >= 1)
        #expect((statuses[200] ?? 0) > 20 * Int(issued), "\(statuses)")
    }
}
