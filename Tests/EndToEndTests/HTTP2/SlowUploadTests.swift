import Foundation
import Testing

/// A client that uploads slowly, and the other clients of the same API.
@Suite(.tags(.engine)) struct SlowUploadTests {
    /// Frames of HTTP/2 (RFC 9113 section 6), by hand: the slow client is as simple as an attacker's.
    private enum Frames {
        static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])

        static func frame(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) -> [UInt8] {
            let count = payload.count
            return [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
                + [UInt8(stream >> 24 & 255), UInt8(stream >> 16 & 255), UInt8(stream >> 8 & 255), UInt8(stream & 255)]
                + payload
        }

        /// A POST whose body follows; field lines are literals without indexing (RFC 7541 section 6.2.2).
        static func post(_ path: String, _ stream: Int) -> [UInt8] {
            let fields = [
                (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "h"),
                ("content-length", "1000000"),
            ]
            let block = fields.flatMap { name, value -> [UInt8] in
                [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
            }
            return frame(1, 4, stream, block)
        }
    }

    @Test(
        "40 uploads of one connection at 300 bytes a second keep no other client waiting", arguments: ["", "{}"],
        [false, true])
    func slowUploads(_ queue: String, _ isHTTP2: Bool) throws {
        let section = queue.isEmpty ? "" : #", "queue": {"length": 50, "timeout": "2s"}"#
        // Four connections, or four streams of one.
        let server = isHTTP2 ? try StreamLimitTests.server(streams: 4) : nil
        let serverURL = try server?.url("public", host: "127.0.0.1")
        let fixture = try SecureFixture { settings in
            let plain = settings.sections["upstreams"]?.split(separator: "\"").first { $0.hasPrefix("http:") } ?? ""
            let url = serverURL ?? String(plain)
            let room = isHTTP2 ? #""http2": true, "maxConnections": 1"# : #""maxConnections": 4"#
            settings["workers"] = "1"
            settings["upstreams"] = #"{"stub": {"url": "\#(url)", \#(room)\#(section)}}"#
        }
        // The limit of the server is known from now on.
        #expect(try fixture.gateway.connect("public").exchange("GET", "/open/first").status == 200)
        let attacker = try fixture.gateway.connect("public")
        let streams = (0..<40).map { $0 * 2 + 1 }
        try attacker.send(Frames.preface + streams.flatMap { Frames.post("/open/up", $0) })
        let stopped = Monitor(false)
        let (socket, ended) = (attacker.socket, Gate())
        Thread.detachNewThread {
            let pieces = streams.flatMap { Frames.frame(0, 0, $0, [UInt8](repeating: 97, count: 30)) }
            while !stopped.current, (try? socket.send(pieces)) != nil {
                _ = stopped.wait(.after(.milliseconds(100))) { $0 ? true : nil }
            }
            ended.open()
        }
        defer {
            stopped.withLock { $0 = true }
            ended.pass()
        }
        let stub = server?.upstream ?? fixture.upstream
        #expect(stub.waitForOpenConnections(4))
        var slowest = Duration.zero
        for number in 0..<60 {
            // From the same address, and from others.
            let source: UInt32 = 0x7f00_0001 + UInt32(number % 3)
            let client = RawConnection(try TCPSocket.connect(port: try fixture.gateway.port("public"), source: source))
            let begun = ContinuousClock.now
            let isUpload = number % 2 == 1
            let answer = try client.exchange(
                isUpload ? "POST" : "GET", "/open/\(number)", body: isUpload ? "all of it" : nil)
            slowest = max(slowest, ContinuousClock.now - begun)
            #expect(answer.status == 200, "\(number): \(answer.text)")
        }
        #expect(slowest < .seconds(3), "it has taken \(slowest)")
        let metrics = try fixture.gateway.metrics()
        let fallen = try #require(metrics.sum("portcullis_limited_total", ["limit": "body_rate"]))
        #expect(fallen >= 1)
        // The others still arrive, and hold nothing.
        let going = try #require(metrics.sum("portcullis_requests_in_flight"))
        #expect(going >= 40 - fallen)
    }
}
