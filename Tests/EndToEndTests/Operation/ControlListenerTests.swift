import Testing

/// The admin listener and listeners for metrics against those who hold connections or guess tokens.
@Suite struct ControlListenerTests {
    private static let metricsListener = """
        [{"name": "public", "address": "127.0.0.1", "port": 0},
         {"name": "metrics", "role": "metrics", "address": "127.0.0.1", "port": 0}]
        """

    @Test(
        "idle connections keep no one out: the longest idle one is closed for a new one",
        arguments: ["", "GET /healthz HTTP/1.1\r\nHost: local"])
    func idleConnections(_ beginning: String) throws {
        let fixture = try Fixture { $0["workers"] = "1" }
        let held = try (0..<64).map { _ in
            let connection = try fixture.gateway.connect("admin")
            if !beginning.isEmpty { try connection.send(beginning) }
            return connection
        }
        for _ in 0..<9 {
            #expect(try fixture.gateway.request("GET", "/healthz", listener: "admin").status == 200)
        }
        // The first had to go, and at most one more for each request whose predecessor was not seen to have closed.
        #expect(held[0].isClosed())
        let areSilent = held[9...].allSatisfy(\.isSilent)
        #expect(areSilent)
    }

    @Test("with a request on every connection, health is answered and all else is 503")
    func busyConnections() throws {
        let fixture = try Fixture { $0["workers"] = "1" }
        let busy = try (0..<64).map { _ in
            let connection = try fixture.gateway.connect("admin")
            try connection.send(
                "POST /admin/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin-secret\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
            return connection
        }
        // Their heads are read, and none is idle, before others come.
        for connection in busy { _ = try connection.receive(through: "100 Continue\r\n\r\n") }
        let deadline = Deadline.usual
        while try fixture.gateway.request("GET", "/metrics", listener: "admin").status != 503, !deadline.isPast {}
        for path in ["/healthz", "/livez", "/readyz"] {
            #expect(try fixture.gateway.request("GET", path, listener: "admin").status == 200, "\(path)")
        }
        let response = try fixture.gateway.request("GET", "/metrics", listener: "admin")
        #expect(response.status == 503)
        #expect(JSONText(response.text)["code"].string == "overloaded")
        let areSilent = busy.allSatisfy(\.isSilent)
        #expect(areSilent)
        try busy[0].send("{" + String(repeating: " ", count: 99))
        #expect(try busy[0].readResponse().status == 400)
    }

    @Test("wrong admin tokens are throttled; an unguessable token is always checked")
    func guesses() throws {
        let fixture = try Fixture()
        func status(_ token: String) throws -> Int {
            try fixture.gateway.request("GET", "/admin/users", [.bearer(token)], listener: "admin").status
        }
        let statuses = try (0..<30).map { try status("guess-\($0)") }
        #expect(statuses.filter { $0 == 401 }.count == 10, "\(statuses)")
        #expect(statuses.last == 429)
        // The right one is short, and so may be a guess.
        #expect(try status("admin-secret") == 429)
        #expect(try fixture.gateway.request("GET", "/healthz", listener: "admin").status == 200)
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_denied_total", ["reason": "client_throttled"]) == 21)
        #expect(metrics.sum("portcullis_limited_total", ["limit": "login_attempts"]) == 21)
        let long = String(repeating: "k", count: 43)
        try fixture.reload {
            $0["admin"] = #"{"address": "127.0.0.1", "port": 0, "adminToken": "\#(long)"}"#
        }
        #expect(try status(long) == 200)
    }

    @Test("a client with the right token is served while another repeats the same wrong one")
    func stuckAgent() throws {
        let fixture = try Fixture()
        for _ in 0..<40 {
            let response = try fixture.gateway.request("GET", "/admin/users", [.bearer("old")], listener: "admin")
            #expect(response.status == 401)
        }
        #expect(try fixture.admin("GET", "/admin/users").status == 200)
    }

    @Test("a metrics listener serves only health, readiness and metrics, without a token")
    func metricsListener() throws {
        let fixture = try Fixture { $0["listeners"] = ControlListenerTests.metricsListener }
        let gateway = try GatewayProcess(
            fixture.gateway.configuration, listeners: ["public", "metrics"])
        defer { _ = try? gateway.stop() }
        for path in ["/metrics", "/healthz", "/livez", "/readyz"] {
            #expect(try gateway.request("GET", path, listener: "metrics").status == 200, "\(path)")
        }
        for path in ["/admin/users", "/admin/reload", "/admin/revocations", "/open/x", "/oauth2/token"] {
            let response = try gateway.request("POST", path, [.bearer("admin-secret")], listener: "metrics")
            #expect(response.status == 404, "\(path)")
        }
        #expect(try gateway.request("GET", "/metrics", listener: "public").status == 404)
        let foreign = try gateway.request("GET", "/metrics", ["Host: evil.example"], listener: "metrics")
        #expect(foreign.status == 421)
        let text = try gateway.request("GET", "/metrics", listener: "metrics").text
        #expect(Metrics(text).sum("portcullis_requests_total") != nil)
    }

    @Test("a metrics listener has its own connections, separate from clients and the admin listener")
    func ownConnections() throws {
        let fixture = try Fixture { settings in
            settings["workers"] = "1"
            settings["listeners"] = ControlListenerTests.metricsListener
            settings["limits"] = #"{"maxConnections": 4, "maxConnectionsPerAddress": 4}"#
        }
        let gateway = try GatewayProcess(fixture.gateway.configuration, listeners: ["public", "metrics", "admin"])
        defer { _ = try? gateway.stop() }
        let clients = try (0..<4).map { _ in try gateway.connect() }
        for client in clients { #expect(try client.exchange("GET", "/open/x").status == 200) }
        let held = try (0..<64).map { _ in try gateway.connect("metrics") }
        #expect(try gateway.request("GET", "/healthz", listener: "metrics").status == 200)
        #expect(try gateway.request("GET", "/healthz", listener: "admin").status == 200)
        #expect(held[0].isClosed())
        for client in clients { #expect(try client.exchange("GET", "/open/x").status == 200) }
    }

    @Test("a gateway is not ready until it has the issuers' keys, and logs the change")
    func readiness() throws {
        let issuer = try StubIssuer(keys: "a")
        let gate = Gate()
        issuer.answer(gate: gate)
        let fixture = try Fixture { $0["trustedIssuers"] = FixtureSettings.list([issuer.entry()]) }
        #expect(fixture.gateway.waitForEvent("not_ready")?["reason"].string?.contains("waiting for keys") == true)
        #expect(try fixture.gateway.request("GET", "/readyz", listener: "admin").status == 503)
        #expect(fixture.gateway.events("ready").isEmpty)
        gate.open()
        #expect(fixture.gateway.waitForEvent("ready") != nil)
        #expect(try fixture.gateway.request("GET", "/readyz", listener: "admin").status == 200)
    }
}
