import Foundation
import Testing

/// What happens when others fail: upstreams (GW-08) and clients that take their time.
@Suite(.tags(.engine)) struct FailureTests {
    private func code(_ response: Response) -> String? { JSONText(response.text)["code"].string }

    @Test("GW-08: an unreachable upstream is 502, and used again when it is back")
    func refused() throws {
        let fixture = try Fixture()
        #expect(try fixture.request("GET", "/open/x").status == 200)
        let port = fixture.upstream.port
        fixture.upstream.stop()
        let response = try fixture.request("GET", "/open/x")
        #expect(response.status == 502)
        #expect(code(response) == "upstream_connect_failed")
        #expect(response.only("Content-Type") == "application/json")
        let again = try StubUpstream(port: port)
        defer { again.stop() }
        #expect(try fixture.request("GET", "/open/x").status == 200)
        #expect(
            try fixture.gateway.metrics().sum("portcullis_upstream_errors_total", ["reason": "upstream_connect_failed"])
                == 1)
    }

    @Test("GW-08: a connection that ends without a complete head is 502")
    func lost() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/close") { _ in [.close] }
        fixture.upstream.on("/open/reset") { _ in [.reset] }
        fixture.upstream.on("/open/half") { _ in [.send("HTTP/1.1 200 OK\r\nContent-"), .close] }
        for path in ["/open/close", "/open/reset", "/open/half"] {
            let response = try fixture.request("GET", path)
            #expect(response.status == 502, "\(path)")
            #expect(code(response) == "upstream_connection_lost", "\(path)")
        }
    }

    @Test("GW-08: a truncated body is truncated for the client too, and never looks complete")
    func cutOff() throws {
        let fixture = try Fixture()
        let begun = Gate()
        fixture.upstream.on("/open/length") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), .close]
        }
        fixture.upstream.on("/open/chunks") { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), .close]
        }
        fixture.upstream.on("/open/broken") { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), .wait(begun),
                .send("XX"),
            ]
        }
        for path in ["/open/length", "/open/chunks"] {
            #expect(throws: SocketError.self, "\(path)") { try fixture.request("GET", path) }
        }
        let connection = try fixture.connect()
        try connection.send(RawConnection.request("GET", "/open/broken"))
        #expect(try connection.readHead()?.startLine == "HTTP/1.1 200 OK")
        begun.open()
        let rest = String(decoding: (try? connection.receiveToEnd()) ?? [], as: UTF8.self)
        #expect(!rest.hasSuffix("0\r\n\r\n") && !rest.contains("XX"), "\(rest)")
        #expect(try fixture.request("GET", "/open/after").status == 200)
    }

    @Test("GW-08: a silent upstream is 504, by the upstream's or the route's timeout")
    func silence() throws {
        let fixture = try Fixture { settings in
            settings["upstreams"] = settings["upstreams"]?.replacing("\"}}", with: #"", "responseTimeout": "300ms"}}"#)
            settings.addRoutes(#"{"path": "/patient", "upstream": "stub", "public": true, "responseTimeout": "10s"}"#)
        }
        let gate = Gate()
        defer { gate.open() }
        fixture.upstream.on("/open/silent") { _ in [.wait(gate)] }
        fixture.upstream.on("/open/stalls") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), .wait(gate)]
        }
        fixture.upstream.on("/patient") { _ in [.pause(.milliseconds(600)), .reply(body: "at last")] }
        let response = try fixture.request("GET", "/open/silent")
        #expect(response.status == 504)
        #expect(code(response) == "upstream_response_timeout")
        #expect(throws: SocketError.self) { try fixture.request("GET", "/open/stalls") }
        #expect(try fixture.request("GET", "/patient").text == "at last")
    }

    @Test("GW-08: a connect timeout is 504, distinct from a refused connection")
    func connectTimeout() throws {
        // A listener that accepts no connection and whose queue is full: connections hang in the handshake.
        let full = try TCPSocket.listen(backlog: 0)
        let filler = try TCPSocket.connect(port: full.port)
        defer { withExtendedLifetime((full, filler)) {} }
        let fixture = try Fixture { settings in
            settings["upstreams"] =
                #"{"stub": {"url": "http://127.0.0.1:\#(full.port)", "connectTimeout": "300ms", "responseTimeout": "300ms"}}"#
        }
        var codes: Set<String> = []
        for _ in 0..<3 {
            let response = try fixture.request("GET", "/open/x")
            #expect(response.status == 504)
            codes.insert(code(response) ?? "")
        }
        #expect(codes.contains("upstream_connect_timeout"), "\(codes)")
    }

    @Test("GW-08: with all connections in use the answer is 503, until one is free")
    func exhausted() throws {
        let fixture = try Fixture { settings in
            settings["workers"] = "1"
            settings["upstreams"] = settings["upstreams"]?.replacing("\"}}", with: #"", "maxConnections": 1}}"#)
        }
        let gate = Gate()
        fixture.upstream.on("/open/held") { _ in [.wait(gate), .reply()] }
        let holder = try fixture.connect()
        try holder.send(RawConnection.request("GET", "/open/held"))
        fixture.upstream.waitForRequests(1, "/open/held")
        let response = try fixture.request("GET", "/open/x")
        #expect(response.status == 503)
        #expect(code(response) == "upstream_exhausted")
        gate.open()
        #expect(try holder.readResponse().status == 200)
        #expect(try fixture.request("GET", "/open/x").status == 200)
    }

    // MARK: Replay

    /// One worker with one kept connection, which the upstream closes when the next request comes.
    private func stale() throws -> Fixture {
        let fixture = try Fixture { $0["workers"] = "1" }
        let used = Monitor(Set<Int>())
        fixture.upstream.on("/open/stale") { request in
            used.withLock { $0.contains(request.connection) } ? [.close] : [.reply(body: "fresh")]
        }
        fixture.upstream.on("/open/first") { request in
            _ = used.withLock { $0.insert(request.connection) }
            return [.reply()]
        }
        return fixture
    }

    @Test(
        "a request on a kept connection that was closed is sent again on a new one",
        arguments: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
    func replayed(_ method: String) throws {
        let fixture = try stale()
        #expect(try fixture.request("GET", "/open/first").status == 200)
        #expect(try fixture.request(method, "/open/stale").status == 200)
        #expect(fixture.upstream.requests("/open/stale").count == 2)
        #expect(try fixture.gateway.metrics().sum("portcullis_upstream_retries_total") == 1)
    }

    @Test("POST requests and requests whose body was sent are not replayed")
    func notReplayed() throws {
        for (method, body) in [("POST", nil), ("POST", "x"), ("PATCH", "x"), ("PUT", "body"), ("GET", "body")] {
            let fixture = try stale()
            #expect(try fixture.request("GET", "/open/first").status == 200)
            let response = try fixture.request(method, "/open/stale", body: body)
            #expect(response.status == 502, "\(method)")
            #expect(fixture.upstream.requests("/open/stale").count == 1, "\(method)")
        }
    }

    @Test("a request is replayed once, and never after a byte of the response")
    func replayedOnce() throws {
        let fixture = try Fixture { $0["workers"] = "1" }
        fixture.upstream.on("/open/never") { _ in [.close] }
        fixture.upstream.on("/open/begun") { _ in [.send("H"), .close] }
        for (path, count) in [("/open/never", 2), ("/open/begun", 1)] {
            #expect(try fixture.request("GET", "/open/first").status == 200)
            #expect(try fixture.request("GET", path).status == 502)
            #expect(fixture.upstream.requests(path).count == count)
        }
    }

    @Test("idle connections closed by the upstream cause no failed requests")
    func idleClosed() throws {
        let fixture = try Fixture()
        for _ in 0..<5 {
            for _ in 0..<4 { #expect(try fixture.request("POST", "/open/x", body: "b").status == 200) }
            fixture.upstream.closeConnections()
            #expect(fixture.upstream.waitForOpenConnections(0))
            Thread.sleep(forTimeInterval: 0.02)
        }
        #expect(fixture.upstream.requests.count == 20)
    }

    // MARK: Slow clients

    @Test("GW-08: an incomplete head is 408, however often a byte arrives")
    func slowHead() throws {
        let fixture = try Fixture { $0["limits"] = #"{"headerTimeout": "500ms"}"# }
        let connection = try fixture.connect()
        let began = ContinuousClock.now
        try connection.send("GET /open/x HTTP/1.1\r\n")
        var response: Response?
        while response == nil, ContinuousClock.now - began < .seconds(5) {
            try? connection.send("X: y\r\n")
            connection.patience = .milliseconds(50)
            response = try? connection.readResponse()
        }
        #expect(response?.status == 408)
        #expect(response.flatMap(code) == "header_timeout")
        #expect(response?.only("Connection") == "close")
        #expect(ContinuousClock.now - began < .seconds(4))
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("an idle new connection is closed silently; between requests after the idle timeout")
    func idle() throws {
        let fixture = try Fixture { $0["limits"] = #"{"headerTimeout": "300ms", "idleTimeout": "300ms"}"# }
        let silent = try fixture.connect()
        #expect(silent.isClosed(within: .seconds(5)))
        let used = try fixture.connect()
        #expect(try used.exchange("GET", "/open/x").status == 200)
        #expect(used.isClosed(within: .seconds(5)))
    }

    @Test("GW-08: a body that stalls is 408, for upstreams and endpoints")
    func slowBody() throws {
        let fixture = try Fixture { $0["limits"] = #"{"bodyTimeout": "300ms"}"# }
        for path in ["/open/x", "/oauth2/token"] {
            let connection = try fixture.connect()
            try connection.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
            let response = try connection.readResponse(to: "POST")
            #expect(response.status == 408, "\(path)")
            #expect(code(response) == "body_timeout", "\(path)")
            #expect(connection.isClosed())
        }
        #expect(fixture.upstream.requests.isEmpty)
    }

    @Test("a client that takes nothing of its response is disconnected")
    func slowWrite() throws {
        let fixture = try Fixture { $0["limits"] = #"{"writeTimeout": "300ms"}"# }
        fixture.upstream.on("/open/down") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 30)\r\n\r\n"), .stream(count: 1 << 30)]
        }
        let connection = try fixture.gateway.connect(receiveBuffer: 16_384)
        try connection.send(RawConnection.request("GET", "/open/down"))
        #expect(fixture.gateway.waitForAccess { $0["reason"].string == "client_write_timeout" } != nil)
        #expect(fixture.upstream.waitForOpenConnections(0))
    }

    @Test("GW-02: slow requests do not delay fast ones")
    func slowUpstream() throws {
        let fixture = try Fixture()
        let gate = Gate()
        fixture.upstream.on("/open/slow") { _ in [.wait(gate), .reply()] }
        let slow = try (0..<100).map { _ in try fixture.connect() }
        for connection in slow { try connection.send(RawConnection.request("GET", "/open/slow")) }
        fixture.upstream.waitForRequests(100, "/open/slow")
        let connection = try fixture.connect()
        for _ in 0..<200 { #expect(try connection.exchange("GET", "/open/fast").status == 200) }
        gate.open()
        for connection in slow { #expect(try connection.readResponse().status == 200) }
    }

    @Test("GW-02: password hashes do not block the event loops")
    func slowHashes() throws {
        let fixture = try Fixture { settings in
            settings["workers"] = "1"
            settings["users"] = Vectors.text("config/users.json")
        }
        let form = RawConnection.request(
            "POST", "/oauth2/token",
            [.basic("inv-client:inv-secret"), "Content-Type: application/x-www-form-urlencoded"],
            body: "grant_type=password&username=joe&password=Welcome1")
        // Few enough for a busy machine to hash within the time that a decision has.
        let slow = try (0..<4).map { _ in try fixture.connect() }
        for connection in slow { try connection.send(form) }
        let connection = try fixture.connect()
        var fast = 0
        // Requests are answered on the one loop while hashes are under way.
        while slow[3].isSilent {
            #expect(try connection.exchange("GET", "/open/fast").status == 200)
            fast += 1
        }
        #expect(fast > 10)
        for connection in slow { #expect(try connection.readResponse(to: "POST").status == 200) }
    }
}
