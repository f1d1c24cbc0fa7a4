import Foundation
import Glibc
import Testing

/// Running it: reload, drain, logs, metrics, health (GW-11).
@Suite(.tags(.engine)) struct OperationTests {
    // MARK: Reload

    /// Requests on several keep-alive connections until told to stop; answers how many, and those that failed.
    private final class Load: Sendable {
        private let counts = Monitor((done: 0, failed: 0, running: 0))
        private let ended = Monitor(false)

        init(_ fixture: Fixture, connections: Int, _ request: String) throws {
            for _ in 0..<connections {
                let connection = UncheckedConnection(try fixture.connect())
                counts.withLock { $0.running += 1 }
                Thread.detachNewThread { [counts, ended] in
                    while !ended.current {
                        let good = (try? connection.send(request))?.status == 200
                        counts.withLock {
                            $0.done += 1
                            if !good { $0.failed += 1 }
                        }
                        if !good { break }
                    }
                    counts.withLock { $0.running -= 1 }
                }
            }
        }

        var done: Int { counts.current.done }

        func waitForMore(_ count: Int) {
            let goal = done + count
            _ = counts.wait { $0.done >= goal || $0.failed > 0 ? true : nil }
        }

        func stop() -> (done: Int, failed: Int) {
            ended.withLock { $0 = true }
            _ = counts.wait { $0.running == 0 ? true : nil }
            return (done, counts.current.failed)
        }
    }

    /// A connection that one thread uses at a time.
    private final class UncheckedConnection: @unchecked Sendable {
        // Unchecked, because it is handed to one thread and used by no other.
        private let connection: RawConnection

        init(_ connection: RawConnection) { self.connection = connection }

        func send(_ request: String) throws -> Response {
            try connection.send(request)
            return try connection.readResponse()
        }
    }

    @Test("GW-11: reloads under load, by signal and by the admin call, lose no request and no connection")
    func reloadUnderLoad() throws {
        let fixture = try Fixture()
        let load = try Load(
            fixture, connections: 8, RawConnection.request("GET", "/inventory/me", [.bearer(fixture.token("joe"))]))
        for round in 0..<6 {
            load.waitForMore(50)
            if round.isMultiple(of: 2) {
                try fixture.reload { $0["policies"] = #"{"Security_AllowOrigin": "https://r\#(round).example.com"}"# }
            } else {
                #expect(try fixture.admin("POST", "/admin/reload").status == 204)
            }
        }
        load.waitForMore(50)
        let (done, failed) = load.stop()
        #expect(failed == 0)
        #expect(fixture.upstream.requests("/inventory/me").count == done)
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_config_reloads_total", ["outcome": "ok"]) == 6)
        #expect(metrics.sum("portcullis_config_generation") == 7)
        #expect(metrics.sum("portcullis_connections_accepted_total").map { $0 < 40 } == true)
        // The last configuration is in force on every worker.
        for _ in 0..<6 {
            #expect(try fixture.request("GET", "/open/x", [.origin("https://r4.example.com")]).status == 200)
            #expect(try fixture.request("GET", "/open/x", [.origin("https://r2.example.com")]).status == 403)
        }
    }

    @Test("GW-04 GW-11: an invalid configuration changes nothing and is reported; a later valid one is applied")
    func badReload() throws {
        let fixture = try Fixture()
        try fixture.reload(expecting: "reload_failed") { settings in
            settings["policies"] = #"{"Security_AllowOrigin": "https://half.example.com"}"#
            settings["routes"] = #"[{"path": "/open/**", "upstream": "nobody", "public": true}]"#
        }
        #expect(fixture.gateway.findings.contains("error: /routes/0/upstream"))
        #expect(try fixture.request("GET", "/open/x").status == 200)
        #expect(try fixture.request("GET", "/open/x", [.origin("https://half.example.com")]).status == 403)
        let refused = try fixture.admin("POST", "/admin/reload")
        #expect(refused.status == 422)
        #expect(JSONText(refused.text)["code"].string == "reload_failed")
        #expect(try fixture.gateway.metrics().sum("portcullis_config_reloads_total", ["outcome": "failed"]) == 2)
        try fixture.reload { $0["policies"] = #"{"Security_AllowOrigin": "https://whole.example.com"}"# }
        #expect(try fixture.request("GET", "/open/x", [.origin("https://whole.example.com")]).status == 200)
        #expect(try fixture.gateway.request("POST", "/admin/reload", listener: "admin").status == 401)
        #expect(try fixture.admin("GET", "/admin/reload").status == 405)
    }

    @Test("GW-11: a request in progress keeps the configuration it began with")
    func requestUnderWay() throws {
        let fixture = try Fixture()
        let gate = Gate()
        fixture.upstream.on("/open/held") { _ in [.wait(gate), .reply(body: "old")] }
        let connection = try fixture.connect()
        try connection.send(RawConnection.request("GET", "/open/held"))
        fixture.upstream.waitForRequests(1, "/open/held")
        try fixture.reload { settings in
            settings["upstreams"] = #"{"other": {"url": "http://127.0.0.1:9"}}"#
            settings["routes"] = #"[{"path": "/new", "upstream": "other", "public": true}]"#
        }
        gate.open()
        #expect(try connection.readResponse().text == "old")
        #expect(try connection.exchange("GET", "/open/held").status == 404)
        #expect(try connection.exchange("GET", "/new").status == 502)
    }

    // MARK: Drain

    @Test("GW-11: SIGTERM finishes requests in progress, refuses new ones, and exits with 0")
    func drain() throws {
        let fixture = try Fixture()
        let gate = Gate()
        fixture.upstream.on("/open/held") { _ in [.wait(gate), .reply(body: "finished")] }
        let busy = try fixture.connect()
        try busy.send(RawConnection.request("GET", "/open/held"))
        let idle = try fixture.connect()
        #expect(try idle.exchange("GET", "/open/x").status == 200)
        fixture.upstream.waitForRequests(1, "/open/held")
        fixture.gateway.program.signal(SIGTERM)
        #expect(fixture.gateway.waitForEvent("draining") != nil)
        #expect(idle.isClosed())
        let deadline = Deadline.usual
        while (try? fixture.connect()) != nil, !deadline.isPast {}
        #expect(throws: SocketError.refused) { try fixture.connect() }
        #expect(fixture.gateway.program.isRunning)
        gate.open()
        let response = try busy.readResponse()
        #expect(response.text == "finished")
        #expect(busy.isClosed())
        #expect(fixture.gateway.program.waitForEnd() == .exit(0))
        #expect(fixture.gateway.events("stopped").count == 1)
    }

    @Test("GW-11: requests that exceed the drain limit are cut off")
    func drainLimit() throws {
        let fixture = try Fixture { $0["limits"] = #"{"drainTimeout": "300ms"}"# }
        let gate = Gate()
        defer { gate.open() }
        fixture.upstream.on("/open/held") { _ in [.wait(gate)] }
        let busy = try fixture.connect()
        try busy.send(RawConnection.request("GET", "/open/held"))
        fixture.upstream.waitForRequests(1, "/open/held")
        #expect(try fixture.gateway.stop(.after(.seconds(10))) == .exit(0))
    }

    // MARK: Logs and metrics

    @Test("GW-11: an access line has caller, request, reason and duration")
    func accessLog() throws {
        let fixture = try Fixture()
        _ = try fixture.request("GET", "/inventory/items?q=secret", [.bearer(fixture.token("ann"))])
        let line = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/inventory/items" })
        #expect(line["method"].string == "GET")
        #expect(line["status"].integer == 200)
        #expect(line["route"].string == "/inventory/items")
        #expect(line["subject"].string == "ann")
        #expect(line["backend"].string == "mbe-inv-1")
        #expect(line["reason"].string == "allowed")
        #expect(line["upstream"].string == "stub")
        #expect(line["client_ip"].string == "127.0.0.1")
        #expect(line["duration_us"].integer.map { $0 > 0 } == true)
        #expect(line["bytes_out"].integer == "/inventory/items".utf8.count)
        let identifier = try #require(line["request_id"].string)
        #expect(try fixture.lastRequest("/inventory/items").only("X-Request-Id") == identifier)
        let refused = try fixture.request("GET", "/inventory/me")
        let denial = try #require(fixture.gateway.waitForAccess { $0["path"].string == "/inventory/me" })
        #expect(denial["reason"].string == "missing_credential")
        #expect(denial["decision"].string == "denied")
        #expect(denial["request_id"].string == refused.only("X-Request-Id"))
        #expect(identifier != refused.only("X-Request-Id"))
    }

    @Test("GW-11: client input cannot break out of log lines or metrics")
    func injection() throws {
        let fixture = try Fixture()
        _ = try fixture.request(
            "GET", "/open/%22%0a%7b%22event%22:%22fake%22", ["X-Request-Id: a\"b", "User-Agent: \"x"])
        _ = try fixture.request(
            "GET", "/inventory/me", [.basic("jo\"e\n{:Welcome1"), "Oracle-Mobile-Backend-ID: mbe-inv-1"])
        _ = fixture.gateway.waitForAccess { $0["path"].string == "/inventory/me" }
        for line in fixture.gateway.program.lines(.output) { #expect(JSONText(line).exists, "\(line)") }
    }

    @Test("GW-11: SIGUSR1 reopens a log file that was renamed")
    func logFile() throws {
        let directory = try ConfigurationDirectory()
        let fixture = try Fixture { $0["log"] = #"{"access": "file:\#(directory.path)/access.log"}"# }
        let wait = { (name: String, path: String) in
            let deadline = Deadline.usual
            while (try? directory.read(name).contains(path)) != true, !deadline.isPast {
                Thread.sleep(forTimeInterval: 0.05)
            }
            return (try? directory.read(name).contains(path)) == true
        }
        _ = try fixture.request("GET", "/open/one")
        #expect(wait("access.log", "/open/one"))
        try FileManager.default.moveItem(
            atPath: directory.path + "/access.log", toPath: directory.path + "/access.log.1")
        fixture.gateway.program.signal(SIGUSR1)
        let deadline = Deadline.usual
        while (try? directory.read("access.log")) == nil, !deadline.isPast { Thread.sleep(forTimeInterval: 0.05) }
        _ = try fixture.request("GET", "/open/two")
        #expect(wait("access.log", "/open/two"))
        #expect(try !directory.read("access.log.1").contains("/open/two"))
    }

    @Test("GW-11: health, readiness and metrics are served on the admin listener only")
    func health() throws {
        let fixture = try Fixture()
        for (path, text) in [
            ("/healthz", "ok\n"), ("/readyz", "ready\n"), ("/admin/health", "ok\n"), ("/admin/ready", "ready\n"),
        ] {
            let response = try fixture.gateway.request("GET", path, listener: "admin")
            #expect(response.status == 200)
            #expect(response.text == text)
            #expect(try fixture.request("GET", path).status == 404)
        }
        #expect(try fixture.request("GET", "/metrics").status == 404)
        #expect(try fixture.gateway.request("POST", "/metrics", listener: "admin").status == 405)
        #expect(try fixture.gateway.request("GET", "/nothing", listener: "admin").status == 404)
        #expect(try fixture.gateway.request("GET", "/open/x", listener: "admin").status == 404)
        #expect(try fixture.gateway.request("GET", "/admin/metrics", listener: "admin").status == 200)
    }

    @Test("GW-11: the counters are exact")
    func metrics() throws {
        let fixture = try Fixture()
        let token = Field.bearer(try fixture.token("ann"))
        for _ in 0..<3 { _ = try fixture.request("GET", "/inventory/items", [token]) }
        for _ in 0..<2 { _ = try fixture.request("POST", "/inventory/items", [token], body: "x") }
        _ = try fixture.request("GET", "/inventory/me")
        let metrics = try fixture.gateway.metrics()
        let route = { metrics.sum("portcullis_requests_total", ["route": "/inventory/items", "code": $0]) }
        #expect(route("200") == 3)
        #expect(route("403") == 2)
        #expect(metrics.sum("portcullis_denied_total", ["reason": "role_required"]) == 2)
        #expect(metrics.sum("portcullis_denied_total", ["reason": "missing_credential"]) == 1)
        #expect(metrics.sum("portcullis_request_duration_seconds_count", ["route": "/inventory/items"]) == 5)
        #expect(metrics.sum("portcullis_workers") == 2)
    }

    @Test("GW-11: the real Prometheus parser reads the metrics")
    func prometheus() throws {
        guard let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] else { return }
        let fixture = try Fixture()
        _ = try fixture.request("GET", "/open/x")
        let page = try fixture.gateway.request("GET", "/metrics", listener: "admin")
        #expect(page.only("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let script = Vectors.root.appending(path: "Tests/Interop/read_metrics.py").path
        let result = try Program.run(python, [script], input: page.text)
        #expect(result.ending == .exit(0), "\(result.errors)")
    }

    @Test("GW-02: connections over the limit are closed, and the others served")
    func connectionLimit() throws {
        let fixture = try Fixture { settings in
            settings["workers"] = "1"
            settings["limits"] = #"{"maxConnections": 20}"#
        }
        let held = try (0..<20).map { _ in try fixture.connect() }
        for connection in held { #expect(try connection.exchange("GET", "/open/x").status == 200) }
        let over = try fixture.connect()
        #expect(over.isClosed(within: .seconds(5)))
        #expect(try held[0].exchange("GET", "/open/x").status == 200)
        held[1].socket.close()
        let deadline = Deadline.usual
        var served = false
        while !served, !deadline.isPast { served = (try? fixture.request("GET", "/open/x").status) == 200 }
        #expect(served)
    }

    @Test("closed connections leak no descriptors and no memory")
    func leaks() throws {
        let fixture = try Fixture()
        let token = Field.bearer(try fixture.token("joe"))
        let round = {
            for _ in 0..<50 {
                _ = try fixture.request("GET", "/inventory/items", [token])
                _ = try fixture.request("GET", "/nowhere")
                let connection = try fixture.connect()
                try connection.send("GET /open/x HTTP/1.1\r\nHo")
                connection.socket.reset()
            }
        }
        try round()
        let descriptors = try fixture.gateway.program.openDescriptors()
        for _ in 0..<4 { try round() }
        let deadline = Deadline.usual
        while try fixture.gateway.program.openDescriptors() > descriptors + 8, !deadline.isPast {}
        #expect(try fixture.gateway.program.openDescriptors() <= descriptors + 8)
        while try fixture.gateway.metrics().sum("portcullis_connections_open") ?? 3 > 2, !deadline.isPast {}
        let metrics = try fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_connections_open").map { $0 <= 2 } == true)
        #expect(metrics.sum("portcullis_requests_in_flight") == 1)
    }
}
