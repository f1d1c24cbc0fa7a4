import Foundation
import Glibc
import Testing

/// The admin listener beside traffic, drains and pages of other sites (POL-05, GW-11).
@Suite struct AdminTests {
    @Test("the admin listener answers 421 to foreign host names, for every resource")
    func rebinding() throws {
        let fixture = try Fixture { settings in
            settings["admin"] =
                #"{"address": "127.0.0.1", "port": 0, "adminToken": "admin-secret", "hosts": ["Metrics.example.com"]}"#
        }
        for path in ["/metrics", "/healthz", "/admin/reload", "/nowhere"] {
            let response = try fixture.gateway.request("GET", path, ["Host: evil.example"], listener: "admin")
            #expect(response.status == 421, "\(path)")
            #expect(JSONText(response.text)["code"].string == "unknown_host")
        }
        for host in ["127.0.0.1", "localhost:9901", "metrics.example.com:9901", "[::1]"] {
            let response = try fixture.gateway.request("GET", "/metrics", ["Host: \(host)"], listener: "admin")
            #expect(response.status == 200, "\(host)")
        }
        #expect(
            try fixture.gateway.metrics().sum("portcullis_denied_total", ["reason": "unknown_host"]) == 4)
    }

    @Test("an invalid revocation request is 400 with the expected form; nothing is revoked")
    func revocations() throws {
        let fixture = try Fixture()
        let token = try fixture.token("joe")
        for body in [
            #"{"subject":"joe","until":"soon"}"#, #"{"subject":7}"#, #"{"user":"joe"}"#, #"{"subject":"joe","x":1}"#,
        ] {
            let response = try fixture.admin("POST", "/admin/revocations", body: body)
            #expect(response.status == 400, "\(body)")
            #expect(JSONText(response.text)["detail"].string?.contains("\"") == true)
        }
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 200)
        let until = Int(Date().timeIntervalSince1970) + 600
        #expect(
            try fixture.admin("POST", "/admin/revocations", body: #"{"subject":"joe","until":\#(until)}"#).status == 204
        )
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(token)]).status == 401)
    }

    @Test("GW-08: with all client connections in use the admin listener answers, and has its own limit")
    func ownLimit() throws {
        let fixture = try Fixture { settings in
            settings["workers"] = "1"
            settings["limits"] = #"{"maxConnections": 4}"#
        }
        let clients = try (0..<4).map { _ in try fixture.connect() }
        for client in clients { #expect(try client.exchange("GET", "/open/x").status == 200) }
        let fifth = try fixture.connect()
        #expect(fifth.isClosed())
        #expect(try fixture.gateway.metrics().sum("portcullis_connections_open") == 5)
        let admins = try (0..<64).map { _ in try fixture.gateway.connect("admin") }
        for admin in admins { #expect(try admin.exchange("GET", "/healthz").status == 200) }
        #expect(try fixture.gateway.connect("admin").exchange("GET", "/healthz").status == 200)
        for client in clients { #expect(try client.exchange("GET", "/open/x").status == 200) }
    }

    @Test("GW-11: metrics requested during a drain arrive without the workers that have ended")
    func metricsWhileDraining() throws {
        let fixture = try Fixture { $0["workers"] = "2" }
        for number in 0..<20 { #expect(try fixture.request("GET", "/open/\(number)").status == 200) }
        let admin = try fixture.gateway.connect("admin")
        // Half a request keeps the connection through the beginning of the drain.
        try admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
        let deadline = Deadline.usual
        while try fixture.gateway.metrics().sum("portcullis_connections_open") != 2, !deadline.isPast {}
        #expect(try fixture.gateway.metrics().sum("portcullis_connections_open") == 2)
        fixture.gateway.program.signal(SIGTERM)
        #expect(fixture.gateway.waitForEvent("draining") != nil)
        // The other worker has nothing left to do and ends, at once or a little later: both must do.
        Thread.sleep(forTimeInterval: 0.2)
        try admin.send("\r\n")
        let response = try admin.readResponse()
        #expect(response.status == 200)
        let metrics = Metrics(response.text)
        #expect(metrics.sum("portcullis_requests_total", ["route": "/open/**"]) == 20)
        #expect(fixture.gateway.program.waitForEnd() == .exit(0))
    }

    @Test("the access log separates the upstream's time from the time of a login")
    func upstreamTime() throws {
        let fixture = try Fixture { $0["users"] = Vectors.text("config/users.json") }
        let response = try fixture.request(
            "GET", "/inventory/me", [.basic("joe:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        #expect(response.status == 200)
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/inventory/me" })
        let whole = try #require(line["duration_us"].integer)
        let upstream = try #require(line["upstream_us"].integer)
        // The password is hashed with scrypt.
        #expect(upstream >= 0 && upstream < whole / 2, "\(upstream) of \(whole)")
    }
}
