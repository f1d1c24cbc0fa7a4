import Testing

/// Upstreams that misbehave toward the gateway, by malice or by mistake.
@Suite(.tags(.engine)) struct RegressionUpstreamTests {
    @Test(
        "GW-07: a response never answers another request, wherever a buffer ends",
        arguments: [16_384, 32_768])
    func strayBytesBehindAFullBuffer(_ size: Int) throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/first") { _ in
            var head = "HTTP/1.1 200 OK\r\nContent-Length: 00000\r\n\r\n"
            let length = size - head.utf8.count
            head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            let stray = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"
            return [.send(head + String(repeating: "x", count: length) + stray)]
        }
        let connection = try fixture.connect()
        let requests = ["/open/first", "/open/second"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        try connection.send(requests.joined())
        #expect(try connection.readResponse().status == 200)
        #expect(try connection.readResponse().text == "/open/second")
    }

    /// How the reads of a response fall is not in our hands: one that fills its buffer to the last byte leaves it open
    /// whether there is more.
    @Test("GW-07: a connection is reused after responses longer than a buffer", arguments: [20_000, 100_000])
    func longResponses(_ length: Int) throws {
        let fixture = try Fixture()
        let body = String(repeating: "x", count: length)
        fixture.upstream.on("/open/long") { _ in [.reply(body: body)] }
        let connection = try fixture.connect()
        for _ in 0..<40 { #expect(try connection.exchange("GET", "/open/long").text.utf8.count == length) }
        #expect(fixture.upstream.connectionCount < 5)
    }

    @Test("GW-08: endless interim responses are an invalid response")
    func interimResponsesWithoutEnd() throws {
        let fixture = try Fixture()
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        fixture.upstream.on("/open/hints") { _ in
            [.send(String(repeating: hint, count: 5000)), .reply(body: "late")]
        }
        let connection = try fixture.connect()
        try connection.send("GET /open/hints HTTP/1.1\r\nHost: a\r\n\r\n")
        var count = 0
        let response = try connection.readResponse { _ in count += 1 }
        #expect(response.status == 502)
        #expect(count <= 32)
    }

    @Test("GW-07: interim responses are counted per request")
    func interimResponsesOfManyRequests() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/hints") { _ in
            [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), .reply(body: "fine")]
        }
        let connection = try fixture.connect()
        for _ in 0..<50 { #expect(try connection.exchange("GET", "/open/hints").text == "fine") }
        #expect(fixture.upstream.connectionCount == 1)
    }

    @Test("GW-07: a 204 is relayed without a length, even where the upstream sends one")
    func lengthOfNothing() throws {
        let fixture = try Fixture()
        fixture.upstream.on("/open/nothing") { _ in
            [.send("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), .close]
        }
        let connection = try fixture.connect()
        let response = try connection.exchange("GET", "/open/nothing")
        #expect(response.status == 204)
        #expect(response.values("Content-Length").isEmpty)
        #expect(try connection.exchange("GET", "/open/next").text == "/open/next")
    }
}
