import Foundation
import Testing

/// Bodies of any size pass without being held (GW-07).
@Suite(.tags(.engine), .disabled(if: Sanitizer.isOn, "it measures memory"), .serialized) struct StreamingTests {
    private static let size = 256 << 20
    /// What the process may grow by, in kB of `VmHWM`.
    private static let allowance = 64 << 10

    @Test("GW-07: uploads of 256 MiB, with a length and in chunks, use bounded memory", arguments: [false, true])
    func upload(_ chunked: Bool) throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/up", body: .discard) { [.reply(body: String($0.bodyCount))] }
        #expect(try fixture.request("POST", "/open/up", body: "warm").text == "4")
        let before = try fixture.gateway.program.memory("VmHWM")
        let connection = try fixture.connect()
        connection.patience = .seconds(60)
        let piece = [UInt8](repeating: 120, count: 1 << 20)
        let framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(Self.size)"
        try connection.send("POST /open/up HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
        for _ in 0..<(Self.size >> 20) {
            if chunked { try connection.send("100000\r\n") }
            try connection.send(piece)
            if chunked { try connection.send("\r\n") }
        }
        if chunked { try connection.send("0\r\n\r\n") }
        #expect(try connection.readResponse(to: "POST").text == String(Self.size))
        #expect(try fixture.gateway.program.memory("VmHWM") - before < Self.allowance)
    }

    @Test(
        "GW-07: downloads of 256 MiB, with a length and until close, use bounded memory",
        arguments: [false, true])
    func download(_ untilClose: Bool) throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/down") { _ in
            let length = untilClose ? "" : "Content-Length: \(Self.size)\r\n"
            return [.send("HTTP/1.1 200 OK\r\n\(length)\r\n"), .stream(count: Self.size)] + (untilClose ? [.close] : [])
        }
        _ = try fixture.request("GET", "/open/warm")
        let before = try fixture.gateway.program.memory("VmHWM")
        let connection = try fixture.connect()
        connection.patience = .seconds(60)
        try connection.send(RawConnection.request("GET", "/open/down"))
        let head = try #require(try connection.readHead())
        #expect(head.only("Content-Length") == (untilClose ? nil : String(Self.size)))
        var count = 0
        try connection.readBody(untilClose ? .chunked : .length(Self.size)) { count += $0.count }
        #expect(count == Self.size)
        #expect(try fixture.gateway.program.memory("VmHWM") - before < Self.allowance)
    }

    @Test("GW-07: a slow client slows its upstream down without using memory")
    func slowReader() throws {
        let fixture = try Fixture { $0["limits"] = #"{"writeTimeout": "30s"}"# }
        let sent = Monitor(0)
        fixture.upstream.on("/open/down") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")]
                + (0..<64).flatMap { _ in [.stream(count: 1 << 20), .counted(sent)] }
        }
        _ = try fixture.request("GET", "/open/warm")
        let before = try fixture.gateway.program.memory("VmHWM")
        let connection = try fixture.gateway.connect(receiveBuffer: 16_384)
        try connection.send(RawConnection.request("GET", "/open/down"))
        _ = try connection.readHead()
        // The upstream comes to a stand once all buffers on the way are full; they are far from 64 MiB.
        var last = -1
        while sent.current != last {
            last = sent.current
            Thread.sleep(forTimeInterval: 0.3)
        }
        #expect(last < 40, "\(last) MiB went into buffers")
        #expect(try fixture.gateway.program.memory("VmHWM") - before < 8 << 10)
        var count = 0
        try connection.readBody(.length(64 << 20)) { count += $0.count }
        #expect(count == 64 << 20)
        #expect(sent.current == 64)
    }

    @Test("GW-07: a slow upstream slows its client down")
    func slowUpstream() throws {
        let fixture = try Fixture()
        let gate = Gate()
        fixture.upstream.on("/open/up", body: .leave) { _ in [.wait(gate), .close] }
        let connection = try fixture.connect()
        connection.patience = .milliseconds(700)
        try connection.send("POST /open/up HTTP/1.1\r\nHost: a\r\nContent-Length: \(1 << 30)\r\n\r\n")
        let before = try fixture.gateway.program.memory("VmHWM")
        let piece = [UInt8](repeating: 120, count: 1 << 20)
        var sent = 0
        #expect(throws: SocketError.timedOut("send")) {
            while sent < 1 << 10 {
                try connection.send(piece)
                sent += 1
            }
        }
        #expect(sent < 40, "\(sent) MiB went into buffers")
        #expect(try fixture.gateway.program.memory("VmHWM") - before < 8 << 10)
        gate.open()
    }

    @Test("UPS-08: a disconnected client ends its request at the upstream")
    func clientGone() throws {
        let fixture = try Fixture()
        let gate = Gate()
        fixture.upstream.on("/open/held") { _ in [.wait(gate), .reply(body: "late")] }
        fixture.upstream.on("/open/endless") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 40)\r\n\r\n"), .stream(count: 1 << 40)]
        }
        for orderly in [true, false] {
            let connection = try fixture.connect()
            try connection.send(RawConnection.request("GET", "/open/endless"))
            _ = try connection.receiveSome()
            if orderly { connection.socket.close() } else { connection.socket.reset() }
        }
        #expect(fixture.upstream.waitForOpenConnections(0))
        let connection = try fixture.connect()
        try connection.send(RawConnection.request("GET", "/open/held"))
        fixture.upstream.waitForRequests(1, "/open/held")
        connection.socket.reset()
        #expect(fixture.gateway.waitForAccess { $0["path"].string == "/open/held" }?["status"].integer == 499)
        gate.open()
        #expect(try fixture.request("GET", "/open/after").status == 200)
    }

    @Test("RFC 9112 9.5: a response before the end of the request body is delivered")
    func earlyAnswer() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/early", body: .leave) { _ in [.reply("413 Content Too Large", body: "no"), .close] }
        let connection = try fixture.connect()
        try connection.send("POST /open/early HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\nsome of it")
        let response = try connection.readResponse(to: "POST")
        #expect(response.status == 413)
        #expect(response.text == "no")
    }

    @Test("GW-08: a body over the limit is 413, immediately or when chunks reach it")
    func bodyLimit() throws {
        let fixture = try Fixture { settings in
            settings["limits"] = #"{"maxBodyBytes": "1KiB"}"#
            settings.addRoutes(#"{"path": "/large", "upstream": "stub", "public": true, "maxBodyBytes": "1MiB"}"#)
        }
        let large = String(repeating: "x", count: 1025)
        let refused = try fixture.request("POST", "/open/x", body: large)
        #expect(refused.status == 413)
        #expect(JSONText(refused.text)["code"].string == "body_too_large")
        #expect(fixture.upstream.requests.isEmpty)
        #expect(try fixture.request("POST", "/open/x", body: String(large.dropFirst())).status == 200)
        #expect(try fixture.request("POST", "/large", body: large).status == 200)
        let connection = try fixture.connect()
        try connection.send("POST /open/c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n401\r\n\(large)\r\n")
        #expect(try connection.readResponse(to: "POST").status == 413)
        #expect(connection.isClosed())
        #expect(fixture.upstream.requests("/open/c").isEmpty)
    }
}
