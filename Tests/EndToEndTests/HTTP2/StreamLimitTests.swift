import Foundation
import TestSupport
import Testing

/// Requests that wait for streams of an HTTP/2 upstream at its limit; those of slow uploads are in `SlowUploadTests`.
@Suite(.tags(.engine)) struct StreamLimitTests {
    /// A gateway as a server that takes so many requests of a connection at once.
    static func server(streams: Int) throws -> SecureFixture {
        try SecureFixture { settings in
            settings["workers"] = "1"
            settings["limits"] = #"{"http2": {"maxStreams": \#(streams)}}"#
        }
    }

    /// The gateway under test, with one connection to the server.
    private static func front(_ server: SecureFixture) throws -> Fixture {
        let url = try server.url("public", host: "127.0.0.1")
        return try Fixture { settings in
            settings["workers"] = "1"
            settings["upstreams"] = """
                {"stub": {"url": "\(url)", "http2": true, "maxConnections": 1,
                          "queue": {"length": 50, "timeout": "60s"}}}
                """
        }
    }

    private static func ask(_ fixture: Fixture, _ path: String, of network: UInt32 = 1) throws -> RawConnection {
        let port = try fixture.gateway.port("public")
        let connection = RawConnection(try TCPSocket.connect(port: port, source: 0x7f00_0000 + network))
        try connection.send(RawConnection.request("GET", path))
        return connection
    }

    /// Asks until a metric has the value.
    private static func reaches(_ fixture: Fixture, _ metric: String, _ value: Double) throws -> Bool {
        let deadline = Deadline.usual
        while try fixture.gateway.metrics().sum("portcullis_\(metric)") != value {
            if deadline.isPast { return false }
        }
        return true
    }

    @Test("waiting requests take turns by client network")
    func turns() throws {
        let server = try Self.server(streams: 2)
        let fixture = try Self.front(server)
        let gates = [Gate(), Gate()]
        var held: [RawConnection] = []
        for (number, gate) in gates.enumerated() {
            server.upstream.on("/open/held-\(number)") { _ in [.wait(gate), .reply()] }
            held.append(try Self.ask(fixture, "/open/held-\(number)"))
            #expect(server.upstream.waitForRequests(1, "/open/held-\(number)").count == 1)
        }
        var waiting: [RawConnection] = []
        for (path, network) in [("a1", 2), ("a2", 2), ("a3", 2), ("b1", 3), ("c1", 4), ("b2", 3)] as [(String, UInt32)]
        {
            waiting.append(try Self.ask(fixture, "/open/\(path)", of: network))
            #expect(try Self.reaches(fixture, "upstream_queue_length", Double(waiting.count)))
        }
        // One stream is left for all of them.
        gates[0].open()
        for connection in waiting { #expect(try connection.readResponse().status == 200) }
        let served = server.upstream.requests.map(\.path).filter { !$0.contains("held") }
        #expect(served == ["a1", "b1", "c1", "a2", "b2", "a3"].map { "/open/\($0)" })
        gates[1].open()
        for connection in held { #expect(try connection.readResponse().status == 200) }
        #expect(try server.gateway.metrics().sum("portcullis_http2_connections_total") == 1)
    }

    @Test("a burst over a new connection, whose limit is not known yet, waits")
    func burst() throws {
        let server = try Self.server(streams: 2)
        let fixture = try Self.front(server)
        server.gateway.program.signal(SIGSTOP)
        let connections = try (0..<10).map { try Self.ask(fixture, "/open/\($0)") }
        #expect(try Self.reaches(fixture, "upstream_in_flight", 10))
        server.gateway.program.signal(SIGCONT)
        for connection in connections {
            let response = try connection.readResponse()
            #expect(response.status == 200, "\(response.text)")
        }
        #expect(server.upstream.requests.count == 10)
    }

    @Test("requests of a lost connection wait for a new one")
    func lost() throws {
        let server = try Self.server(streams: 20)
        let fixture = try Self.front(server)
        server.gateway.program.signal(SIGSTOP)
        let connections = try (0..<10).map { try Self.ask(fixture, "/open/\($0)") }
        #expect(try Self.reaches(fixture, "upstream_in_flight", 10))
        server.gateway.program.signal(SIGKILL)
        // They are tried again, and nothing listens there any more: no lack of room is the cause.
        for connection in connections {
            let response = try connection.readResponse()
            #expect(JSONText(response.text)["code"].string == "upstream_connect_failed", "\(response.text)")
        }
    }
}
