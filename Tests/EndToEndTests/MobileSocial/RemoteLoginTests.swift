import Foundation
import Glibc
import Testing

/// Service domains whose users are known to another server, and logins while that is not there (OMS-11 to OMS-13).
@Suite struct RemoteLoginTests {
    /// What an unknown user gets while the server hangs up.
    private static let hungUp = "502 login_server_invalid_answer"

    @Test("the server decides; while it is down only its last known users are admitted (OMS-12)")
    func recovery() throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        #expect(try fixture.outcome("joe", "Welcome1").hasPrefix("401"), "the local password is nobody's here")
        #expect(try fixture.outcome() == "200 online")
        #expect(RemoteFixture.fields(try #require(fixture.server.requests("/token").last))["username"] == "joe")
        fixture.health = .hangingUp
        #expect(try fixture.outcome() == "200 offline")
        #expect(try fixture.outcome("ann", "Remote2") == Self.hungUp, "she never was")
        #expect(try fixture.outcome("nobody", "x") == Self.hungUp)
        #expect(try fixture.outcome("joe", "wrong").hasPrefix("401"))
        fixture.health = .well
        #expect(try fixture.outcome("ann", "Remote2") == "200 online")
        #expect(try fixture.outcome() == "200 online")
        fixture.server.stop()
        #expect(try fixture.outcome() == "200 offline")
        #expect(try fixture.outcome("nobody", "x") == "503 login_server_unavailable")
    }

    @Test("an outage is 502 or 503 with Retry-After, never 401, and counts as no failed attempt")
    func outages() throws {
        let fixture = try RemoteFixture(mode: "online")
        for (health, outcome, pause) in [
            (RemoteFixture.Health.hangingUp, Self.hungUp, "1" as String?),
            (.silent, "503 login_server_unavailable", "1"), (.overloaded, "503 login_server_unavailable", "7"),
            (.garbage, "502 login_server_invalid_answer", "1"),
            (.unknownClient, "502 login_server_misconfigured", nil), (.throttling, "429 login_throttled", "9"),
        ] {
            fixture.health = health
            for password in ["Remote1", "wrong", "other"] {
                let response = try fixture.logIn("joe", password)
                #expect("\(response.status) \(JSONText(response.text)["code"].string ?? "")" == outcome, "\(health)")
                #expect(response.only("Retry-After") == pause, "\(health)")
            }
        }
        fixture.health = .well
        #expect(try fixture.outcome() == "200 online")
        fixture.forbid("ann")
        #expect(try fixture.outcome("ann", "Remote2") == "403 login_forbidden")
        let metrics = try fixture.gateway.gateway.metrics()
        let verified = try #require(
            metrics.sum("portcullis_issuer_requests_total", ["issuer": "elsewhere", "outcome": "verified"]))
        #expect(verified == 1)
        let written = fixture.gateway.gateway.everythingWritten
        for secret in ["Remote1", "Remote2", "secret-of-the-server"] { #expect(!written.contains(secret)) }
    }

    @Test("verifiers and failed attempts persist across kill -9 (OMS-13, CON-21)")
    func restarts() throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        fixture.health = .hangingUp
        var process = fixture.gateway.gateway
        let directory = process.configuration
        // Two wrong ones are allowed; the third wipes, in any process.
        for round in 0..<3 {
            #expect(try fixture.outcome("joe", "wrong \(round)", at: process).hasPrefix("401"))
            process.program.signal(SIGKILL)
            _ = process.program.waitForEnd()
            process = try GatewayProcess(directory)
        }
        #expect(try fixture.outcome(at: process) == Self.hungUp)
        fixture.health = .well
        #expect(try fixture.outcome(at: process) == "200 online")
        fixture.health = .hangingUp
        process.program.signal(SIGKILL)
        _ = process.program.waitForEnd()
        process = try GatewayProcess(directory)
        #expect(try fixture.outcome(at: process) == "200 offline")
        try process.stop()
    }

    @Test("gateways that share a store share the number of attempts", arguments: [false, true])
    func twoGateways(_ isAtOnce: Bool) throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        let second = try GatewayProcess(fixture.gateway.gateway.configuration)
        fixture.health = .hangingUp
        #expect(try fixture.outcome(at: second) == "200 offline", "what one has learned all know")
        let gateways = [fixture.gateway.gateway, second]
        let outcomes = Monitor<[String]>([])
        if isAtOnce {
            DispatchQueue.concurrentPerform(iterations: 24) { number in
                let outcome = (try? fixture.outcome("joe", "wrong \(number)", at: gateways[number % 2])) ?? "failed"
                outcomes.withLock { $0.append(outcome) }
            }
        } else {
            for number in 0..<6 {
                let outcome = try fixture.outcome("joe", "wrong \(number)", at: gateways[number % 2])
                outcomes.withLock { $0.append(outcome) }
            }
        }
        let looked = outcomes.current.count { $0.hasPrefix("401") }
        #expect((1...3).contains(looked), "\(outcomes.current)")
        #expect(!outcomes.current.contains { $0.hasPrefix("200") || $0 == "failed" })
        if !isAtOnce {
            #expect(looked == 3)
            #expect(try fixture.outcomeUnlocked(at: second) == Self.hungUp, "it is wiped")
        }
        try second.stop()
    }

    @Test("concurrent logins with the right password count as one guess, and all succeed")
    func together() throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        let outcomes = Monitor<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 30) { _ in
            let outcome = (try? fixture.outcome()) ?? "failed"
            outcomes.withLock { $0.append(outcome) }
        }
        #expect(outcomes.current == Array(repeating: "200 online", count: 30))
    }

    @Test("a session opened offline opens routes, is marked offline, and differs from an online one")
    func sessions() throws {
        let fixture = try RemoteFixture(authentication: #", "offlineSessionTimeout": 60, "guestRoles": ["Manager"]"#)
        let gateway = fixture.gateway
        let online = JSONText(try fixture.logIn("zoe", "Remote3").text)
        fixture.health = .hangingUp
        let offline = JSONText(try fixture.logIn("zoe", "Remote3").text)
        #expect(offline["offline"].bool == true && (offline["expires_in"].integer ?? 0) <= 60)
        let token = try #require(offline["userToken"].string)
        #expect(token != online["userToken"].string)
        let challenge = try gateway.request("GET", "/inventory/items", ["User-Agent: OIC-Agent"])
        let context = try #require(challenge.only("WWW-Authenticate")?.firstMatch(of: /request-ctx="([^"]+)"/)).1
        let access = try gateway.request(
            "POST", RemoteFixture.path + "/access", ["Content-Type: application/json", .bearer(token)],
            body: #"{"appName": "inventory", "requestContext": "\#(context)"}"#)
        let accessToken = try #require(JSONText(access.text)["access_token"].string, "\(access.text)")
        let claims = JSONWebToken(accessToken).claims
        #expect(claims["offline"].bool == true && claims["virtual"].bool == true && claims["sub"].string == "zoe")
        let opened = try gateway.request(
            "GET", "/inventory/items",
            ["User-Agent: OIC-Agent", Field(name: "Authorization", value: "OAM-Auth \(accessToken)")])
        #expect(opened.status == 200)
        fixture.health = .well
        #expect(try fixture.outcome("zoe", "Remote3") == "200 online")
        #expect(
            gateway.gateway.waitForEvent("audit", where: { $0["action"].string == "oic.authenticate-offline" }) != nil)
    }

    @Test("offline: the server is asked only after the verifier is wiped; a reload sets the mode (S32 to S40)")
    func modes() throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        try fixture.reload(mode: "offline")
        let calls = fixture.calls
        #expect(try fixture.outcome() == "200 offline")
        #expect(try fixture.outcome("ann", "Remote2") == "503 login_server_not_asked")
        #expect(fixture.calls == calls)
        // One after the other, each once the lock-out before it is over.
        for number in 0..<3 { #expect(try fixture.outcomeUnlocked("joe", "wrong \(number)").hasPrefix("401")) }
        #expect(fixture.calls == calls + 1, "wiped, then the server")
        #expect(try fixture.outcomeUnlocked() == "200 online")
        #expect(try fixture.outcome() == "200 offline")
        try fixture.reload(mode: "online")
        fixture.health = .hangingUp
        #expect(try fixture.outcome() == Self.hungUp)
        try fixture.reload(mode: "auto", application: "")
        #expect(try fixture.outcome() == Self.hungUp, "the profile does not allow it (OMS-11)")
        try fixture.reload(mode: "auto")
        #expect(try fixture.outcome() == "200 offline")
    }

    @Test("a revoked user cannot log in offline")
    func revocation() throws {
        let fixture = try RemoteFixture()
        #expect(try fixture.outcome() == "200 online")
        #expect(try fixture.gateway.admin("POST", "/admin/revocations", body: #"{"subject":"joe"}"#).status == 204)
        fixture.health = .hangingUp
        #expect(try fixture.outcome() == Self.hungUp)
    }

    @Test("check refuses an issuer that does not verify passwords")
    func wrongModule() throws {
        let fixture = try RemoteFixture()
        try fixture.gateway.reload(expecting: "reload_failed") { settings in
            settings["serviceDomains"] = """
                {"Default": {"authentication": {"type": "remote", "issuer": "local"},
                  "applications": {"inventory": {"backend": "inventory/1.0"}}}}
                """
        }
        let written = fixture.gateway.gateway.everythingWritten
        #expect(written.contains("/serviceDomains/Default/authentication/issuer"), "\(written)")
    }
}
