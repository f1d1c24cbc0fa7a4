import Foundation
import Glibc
import Testing

/// What the two logs tell, and when.
@Suite struct LogTests {
    @Test("access log: optional fields are logged if configured, and switched by a reload")
    func fields() throws {
        let fixture = try Fixture()
        let agent: Field = "User-Agent: Mozilla/5.0 \"x\" (test)"
        _ = try fixture.request("GET", "/open/plain", [agent])
        let plain = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/open/plain" })
        for name in ["host", "http_version", "tls_version", "user_agent"] { #expect(plain[name].string == nil) }
        try fixture.reload {
            $0["log"] = #"{"fields": ["host", "http_version", "tls_version", "user_agent"]}"#
        }
        let connection = try fixture.connect()
        try connection.send(
            "GET /open/new HTTP/1.1\r\nHost: Shop.example.com:81\r\n\(agent.name): \(agent.value)\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/open/new" })
        #expect(line["host"].string == "Shop.example.com:81")
        #expect(line["http_version"].string == "1.1")
        #expect(line["tls_version"].string == nil)
        #expect(line["user_agent"].string == "Mozilla/5.0 \"x\" (test)")
        try connection.send("GET /open/next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        let next = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/open/next" })
        #expect(next["user_agent"].string == nil && next["host"].string == "a")
        let old = try fixture.connect()
        try old.send("GET /open/old HTTP/1.0\r\nUser-Agent: \(String(repeating: "a", count: 300))\r\n\r\n")
        #expect(try old.readResponse().status == 200)
        let oldLine = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/open/old" })
        #expect(oldLine["http_version"].string == "1.0" && oldLine["host"].string == nil)
        #expect(oldLine["user_agent"].string == String(repeating: "a", count: 256))
    }

    @Test("access log: off writes nothing, and metrics count all the same")
    func off() throws {
        let fixture = try Fixture { $0["log"] = #"{"access": "off"}"# }
        for path in ["/open/a", "/open/b"] { #expect(try fixture.request("GET", path).status == 200) }
        #expect(try fixture.request("GET", "/plain").status == 401)
        #expect(try fixture.request("GET", "/nowhere").status == 404)
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_requests_total", ["route": "/open/**"]) == 2)
        #expect(metrics.sum("portcullis_requests_total", ["route": "/plain"]) == 1)
        #expect(try fixture.gateway.stop() == .exit(0))
        // The log is written out at the end.
        #expect(fixture.gateway.program.lines(.output).isEmpty)
    }

    @Test("access log: a share of the successes and all failures are logged, and a route can be left out")
    func sampled() throws {
        let fixture = try Fixture {
            $0["log"] = #"{"sample": 1000000}"#
            $0.addRoutes(
                #"{"path": "/quiet/**", "upstream": "stub", "public": true, "accessLog": false}"#,
                #"{"path": "/quiet/secret", "upstream": "stub", "accessLog": false}"#)
        }
        let connection = try fixture.connect()
        for _ in 0..<20 {
            #expect(try connection.exchange("GET", "/open/a").status == 200)
            #expect(try connection.exchange("GET", "/quiet/a").status == 200)
            #expect(try connection.exchange("GET", "/quiet/secret").status == 401)
        }
        for _ in 0..<5 { #expect(try connection.exchange("GET", "/plain").status == 401) }
        let metrics = try fixture.gateway.metrics()
        for route in ["/open/**", "/quiet/**", "/quiet/secret"] {
            #expect(metrics.sum("portcullis_requests_total", ["route": route]) == 20)
        }
        // A reload changes the shares.
        try fixture.reload { $0["log"] = #"{"sampleFailures": 1000000}"# }
        let next = try fixture.connect()
        for _ in 0..<5 { #expect(try next.exchange("GET", "/plain").status == 401) }
        for _ in 0..<5 { #expect(try next.exchange("GET", "/open/later").status == 200) }
        #expect(try fixture.gateway.stop() == .exit(0))
        let lines = fixture.gateway.program.lines(.output).map { JSONText($0) }
        func count(_ path: String) -> Int { lines.count { $0["path"].string == path } }
        #expect(count("/plain") == 5 && count("/open/later") == 5)
        #expect(count("/open/a") == 0 && count("/quiet/a") == 0 && count("/quiet/secret") == 0)
    }

    @Test("access log: TLS and HTTP/2 versions are logged", arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func versions(_ option: String, _ version: String) throws {
        let fixture = try SecureFixture { $0["log"] = #"{"fields": ["http_version", "tls_version", "user_agent"]}"# }
        _ = try fixture.curl([option, "--tls-max", "1.2", "-A", "first"], "/open/tls")
        _ = try fixture.curl([option, "-A", "second"], "/open/tls")
        for (agent, tls) in [("first", "1.2"), ("second", "1.3")] {
            let line = try #require(fixture.gateway.waitForAccess { $0["user_agent"].string == agent })
            #expect(line["http_version"].string == version && line["tls_version"].string == tls)
        }
    }

    @Test("access log: a line is written promptly even without other traffic")
    func promptness() throws {
        let fixture = try Fixture()
        // Where lines went out once a second, each of these took nearly a whole one.
        let deadline = Deadline.after(.seconds(5))
        for i in 0..<10 {
            let path = "/open/\(i)"
            _ = try fixture.request("GET", path)
            #expect(fixture.gateway.waitForAccess(deadline) { $0["path"].string == path } != nil)
        }
    }

    @Test("log.level: events below it are dropped, a reload changes it, and the audit trail is always written")
    func level() throws {
        let fixture = try Fixture()
        let gateway = fixture.gateway
        #expect(gateway.waitForEvent("ready")?["level"].string == "info")
        let revocation = #"{"subject": "ann", "issuedBefore": 1}"#
        try reload(fixture, level: "warning", generation: 2)
        #expect(try fixture.admin("POST", "/admin/revocations", body: revocation).status == 204)
        _ = try fixture.token("ann")
        #expect(gateway.waitForEvent("audit")?["level"].string == "info")
        for name in ["reloaded", "revoked"] { #expect(gateway.events(name).isEmpty, "\(name)") }
        // A failure is reported.
        try gateway.configuration.write("gateway.json", "{")
        gateway.program.signal(SIGHUP)
        #expect(gateway.waitForEvent("reload_failed")?["level"].string == "error")
        #expect(try fixture.reload { $0["log"] = #"{"level": "info"}"# }["level"].string == "info")
        #expect(try fixture.admin("POST", "/admin/revocations", body: revocation).status == 204)
        #expect(gateway.waitForEvent("revoked")?["level"].string == "info")
        // And the other way.
        try reload(fixture, level: "error", generation: 4)
        #expect(try fixture.admin("POST", "/admin/revocations", body: revocation).status == 204)
        try gateway.stop()
        #expect(gateway.events("revoked").count == 1 && gateway.events("stopped").isEmpty)
        #expect(gateway.events("reloaded").count == 1)
    }

    /// A reload that the log says nothing of.
    private func reload(_ fixture: Fixture, level: String, generation: Double) throws {
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        settings["log"] = #"{"level": "\#(level)"}"#
        try fixture.gateway.configuration.write("gateway.json", settings.text)
        fixture.gateway.program.signal(SIGHUP)
        let deadline = Deadline.usual
        while try fixture.gateway.metrics().sum("portcullis_config_generation") != generation, !deadline.isPast {}
    }

    @Test("log.level debug: failed handshakes and HTTP/2 errors are logged")
    func clients() throws {
        for isLogged in [true, false] {
            let fixture = try SecureFixture { $0["log"] = isLogged ? #"{"level": "debug"}"# : "{}" }
            let clear = try fixture.gateway.connect("secure")
            try clear.send("GET / HTTP/1.1\r\n\r\n")
            #expect(clear.isClosed())
            let frames = try fixture.gateway.connect("public")
            try frames.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nno frames, but enough of them to be read as one")
            _ = try frames.receiveToEnd()
            try fixture.gateway.stop()
            let events = fixture.gateway.events("client_failed")
            #expect(events.count == (isLogged ? 2 : 0), "\(fixture.gateway.everythingWritten)")
            guard isLogged else { continue }
            #expect(events[0]["level"].string == "debug" && events[0]["client_ip"].string == "127.0.0.1")
            #expect(events[0]["reason"].string?.hasPrefix("tls_") == true)
            #expect(events[1]["reason"].string?.hasPrefix("h2_") == true)
        }
    }

    @Test("listeners without access log, times with milliseconds, and the client of a token")
    func listenersAndClients() throws {
        let fixture = try SecureFixture {
            $0["listeners"] = SecureFixture.listeners("", ["tls"]).replacing(
                #""name": "old","#, with: #""name": "old", "accessLog": false,"#)
            $0["admin"] = #"{"port": 0, "adminToken": "admin-secret", "accessLog": false}"#
        }
        let token = try fixture.mint()
        let end = try #require(
            fixture.gateway.metrics().sum(
                "portcullis_certificate_expiry_timestamp_seconds",
                ["pointer": "/listeners/1/tls/certificates/0/certFile", "name": "localhost"]))
        let days = (end - Date().timeIntervalSince1970) / 86_400
        #expect((29...30.1).contains(days), "\(days) days")
        #expect(try fixture.curl([], "/open/unlogged", listener: "old").status == 200)
        let fields = ["-H", "Authorization: Bearer \(token)"]
        #expect(try fixture.curl(fields, "/inventory/me").status == 200)
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/inventory/me" })
        #expect(line["client_id"].string == "inv-client" && !line["consumer"].exists)
        try fixture.gateway.stop()
        let lines = fixture.gateway.program.lines(.output)
        #expect(lines.count == 1, "\(lines)")
        let begin = try #require(lines.first?.wholeMatch(of: /\{"time":(\d+\.\d{3}),.*/)?.1)
        #expect(abs((Double(begin) ?? 0) - Date().timeIntervalSince1970) < 60)
        let errors = fixture.gateway.program.lines(.errors)
        #expect(errors.allSatisfy { $0.wholeMatch(of: /\{"time":\d+\.\d{3},"level":"\w+","event":"\w+".*\}/) != nil })
    }
}
