import Testing

/// Clients that send request after request and take no answer.
@Suite(.tags(.engine)) struct RegressionUnreadRepliesTests {
    @Test("GW-07: reading stops for a client that takes no answers")
    func pipelineWithoutReading() throws {
        let fixture = try Fixture()
        let connection = try fixture.gateway.connect(receiveBuffer: 4096)
        connection.patience = .seconds(2)
        let filling = String(repeating: "x", count: 450)
        let batch = String(repeating: "GET /nope HTTP/1.1\r\nHost: a\r\nX-Filling: \(filling)\r\n\r\n", count: 200)
        #expect(throws: SocketError.timedOut("send")) {
            for _ in 0..<400 { try connection.send(batch) }
        }
        let buffers = try #require(fixture.gateway.metrics().sum("portcullis_buffers_in_use"))
        #expect(buffers < 1000, "\(buffers) buffers hold answers that nobody takes")
    }

    @Test("GW-07: a client that takes its answers late gets all of them", arguments: [false, true])
    func pipelineReadLate(_ halfClosed: Bool) throws {
        let fixture = try Fixture()
        let connection = try fixture.gateway.connect(receiveBuffer: 4096)
        let count = 30_000
        let request = "GET /nope HTTP/1.1\r\nHost: a\r\n\r\n"
        try connection.send(String(repeating: request, count: count - 1))
        try connection.send("GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        if halfClosed { connection.socket.finishSending() }
        let text = try connection.receiveToEnd()
        let mark = Array("HTTP/1.1 404 ".utf8)
        var found = 0
        for i in text.indices where text[i] == mark[0] && i + mark.count <= text.count {
            if text[i..<(i + mark.count)].elementsEqual(mark) { found += 1 }
        }
        #expect(found == count)
    }
}
