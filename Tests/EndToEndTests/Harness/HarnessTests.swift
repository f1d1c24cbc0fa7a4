import Foundation
import Glibc
import Testing

/// The harness is tested by itself, so that a failing end-to-end test speaks of the gateway.
@Suite struct HarnessTests {
    @Test("the stub upstream returns the path, on one connection")
    func repliesWithThePathOnOneConnection() throws {
        let upstream = try StubUpstream()
        let connection = try RawConnection(port: upstream.port)
        for target in ["/a", "/b?c=d"] {
            let response = try connection.exchange("GET", target, ["X-Twice: 1", "X-Twice: 2"])
            #expect(response.status == 200)
            #expect(response.reason == "OK")
            #expect(response.text == String(target.prefix { $0 != "?" }))
        }
        #expect(upstream.connectionCount == 1)
        #expect(upstream.requests.map(\.target) == ["/a", "/b?c=d"])
        #expect(upstream.requests("/b")[0].values("x-twice") == ["1", "2"])
        #expect(upstream.requests("/b")[0].only("x-twice") == nil)
        #expect(upstream.requests("/a")[0].head.raw.hasPrefix("GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n"))
    }

    @Test("chunks with trailers are read in any segmentation")
    func readsChunksWithTrailersInAnySplit() throws {
        let upstream = try StubUpstream()
        let text =
            "POST /up HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-End: yes\r\n\r\n"
        for size in [1, 2, 7, text.utf8.count] {
            let connection = try RawConnection(port: upstream.port)
            try connection.send(text, piecesOf: size)
            #expect(try connection.readResponse(to: "POST").status == 200)
        }
        let requests = upstream.waitForRequests(4, "/up")
        #expect(requests.count == 4)
        for request in requests {
            #expect(String(decoding: request.body, as: UTF8.self) == "abc0123456789")
            #expect(request.trailers == ["X-End: yes"])
        }
    }

    @Test("every framing of a response is read")
    func readsEveryFramingOfAResponse() throws {
        let upstream = try StubUpstream()
        upstream.on("/chunked") { _ in
            [
                .send(
                    "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nT: 1\r\n\r\n"
                )
            ]
        }
        upstream.on("/close") { _ in [.send("HTTP/1.1 200 OK\r\n\r\nto the end"), .close] }
        upstream.on("/none") { _ in [.send("HTTP/1.1 204 No Content\r\n\r\n")] }
        upstream.on("/short") { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), .close] }
        let connection = try RawConnection(port: upstream.port)
        var interim: [String] = []
        try connection.send(RawConnection.request("GET", "/chunked"))
        let chunked = try connection.readResponse { interim.append($0.startLine) }
        #expect(interim == ["HTTP/1.1 103 Early Hints"])
        #expect(chunked.text == "hi")
        #expect(chunked.trailers == ["T: 1"])
        #expect(try connection.exchange("GET", "/none").status == 204)
        #expect(try connection.exchange("HEAD", "/none").body.isEmpty)
        #expect(try connection.exchange("GET", "/close").text == "to the end")
        #expect(connection.isClosed())
        #expect(throws: SocketError.ended("5 bytes before the end of the body")) {
            try RawConnection.once(port: upstream.port, "GET", "/short")
        }
    }

    @Test("the stub upstream misbehaves on demand")
    func misbehavesOnDemand() throws {
        let upstream = try StubUpstream()
        upstream.on("/reset") { _ in [.reset] }
        upstream.on("/gone") { _ in [.close] }
        #expect(throws: SocketError.reset) { try RawConnection.once(port: upstream.port, "GET", "/reset") }
        #expect(throws: SocketError.ended("before a response")) {
            try RawConnection.once(port: upstream.port, "GET", "/gone")
        }
        upstream.stop()
        #expect(throws: SocketError.refused) { try RawConnection.once(port: upstream.port, "GET", "/") }
    }

    @Test("the stub upstream waits at gates, not by the clock")
    func waitsAtGatesNotByTheClock() throws {
        let upstream = try StubUpstream()
        let gate = Gate()
        upstream.on("/held") { _ in [.wait(gate), .reply(body: "late")] }
        let connection = try RawConnection(port: upstream.port)
        try connection.send(RawConnection.request("GET", "/held"))
        #expect(upstream.waitForRequests(1, "/held").count == 1)
        #expect(!connection.isClosed(within: .milliseconds(20)))
        gate.open()
        #expect(try connection.readResponse().text == "late")
        #expect(upstream.openConnectionCount == 1)
        upstream.closeConnections()
        #expect(upstream.waitForOpenConnections(0))
        #expect(connection.isClosed())
    }

    @Test("large bodies are counted without storing them")
    func countsLargeBodiesWithoutKeepingThem() throws {
        let upstream = try StubUpstream()
        upstream.on("/large", body: .discard) { request in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.bodyCount)\r\n\r\n"),
                .stream(count: request.bodyCount),
            ]
        }
        let count = 3_000_001
        let response = try RawConnection.once(
            port: upstream.port, "POST", "/large", body: String(repeating: "y", count: count))
        #expect(response.body.count == count)
        #expect(upstream.requests("/large")[0].body.isEmpty)
    }

    @Test("reading times out instead of hanging")
    func timesOutInsteadOfHanging() throws {
        let upstream = try StubUpstream()
        let connection = try RawConnection(port: upstream.port)
        connection.patience = .milliseconds(50)
        #expect(throws: SocketError.timedOut("receive")) { try connection.readHead() }
    }

    @Test("metrics are parsed")
    func readsMetrics() {
        let metrics = Metrics(
            """
            # TYPE requests_total counter
            requests_total{route="a",status="200"} 3
            requests_total{route="b \\"x\\"",status="200"} 4
            up 1
            """)
        #expect(metrics.sum("requests_total") == 7)
        #expect(metrics.sum("requests_total", ["route": "a"]) == 3)
        #expect(metrics.sum("up") == 1)
        #expect(metrics.sum("requests_total", ["status": "500"]) == nil)
    }
}
