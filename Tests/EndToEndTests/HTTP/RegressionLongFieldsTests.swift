import Testing

/// Fields as long as the limits allow: what the gateway writes from them is longer than what it read.
@Suite struct RegressionLongFieldsTests {
    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test("GW-09: a long Host is forwarded twice", arguments: [1000, 7500, 8100, 12_000, 16_300])
    func longHost(_ length: Int) throws {
        let fixture = try Fixture()
        let host = Self.text(length)
        let response = try fixture.request("GET", "/open/a", ["Host: \(host)"])
        #expect(response.status == 200)
        let request = try fixture.lastRequest("/open/a")
        #expect(request.only("Host") == host)
        #expect(request.only("X-Forwarded-Host") == host)
    }

    @Test("GW-09: a long authority of an absolute-form target is forwarded twice")
    func longAuthority() throws {
        let fixture = try Fixture()
        let host = Self.text(8000)
        let connection = try fixture.connect()
        try connection.send("GET http://\(host)/open/a HTTP/1.1\r\nHost: \(Self.text(8000))\r\n\r\n")
        #expect(try connection.readResponse().status == 200)
        #expect(try fixture.lastRequest("/open/a").only("X-Forwarded-Host") == host)
    }

    @Test("CORS-07: an allowed origin of any length is repeated in a refusal")
    func longOriginOfRefusal() throws {
        let fixture = try Fixture { $0["policies"] = #"{"Security_AllowOrigin": "https://*.example.com"}"# }
        // Among these lengths are those at which a buffer of the usual size is full just before its last field.
        for length in 16_060..<16_180 {
            let origin = "https://\(Self.text(length)).example.com"
            let connection = try fixture.connect()
            try connection.send("GET /nope HTTP/1.1\r\nHost: a\r\nOrigin: \(origin)\r\nConnection: close\r\n\r\n")
            let response = try connection.readResponse()
            try #require(response.status == 404)
            try #require(response.only("Access-Control-Allow-Origin") == origin)
        }
    }

    @Test("CORS-07: an allowed origin of any length is repeated with a long upstream head")
    func longOriginOfResponse() throws {
        let fixture = try Fixture { $0["policies"] = #"{"Security_AllowOrigin": "https://*.example.com"}"# }
        let filling = Self.text(15_240)
        fixture.upstream.on("/open/a") { _ in [.reply("200 OK", ["X-Filling: \(filling)"], body: "hello")] }
        for length in stride(from: 900, through: 1050, by: 5) {
            let origin = "https://\(Self.text(length)).example.com"
            let response = try fixture.request("GET", "/open/a", [.origin(origin), "Connection: close"])
            try #require(response.status == 200)
            try #require(response.only("Access-Control-Allow-Origin") == origin)
        }
    }
}
