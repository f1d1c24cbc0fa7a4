import Testing

/// Trailer fields that imitate what the gateway adds.
@Suite(.tags(.engine)) struct RegressionTrailerTests {
    private func fixture() throws -> Fixture {
        try Fixture { settings in
            settings.addRoutes(
                #"""
                {"path": "/own", "upstream": "stub",
                 "injection": {"issuer": "local", "header": "X-Upstream-Token", "format": "{token}"}}
                """#)
        }
    }

    @Test(
        "CACHE-04 GW-09: client trailers are not forwarded with an injected token",
        arguments: ["X-Upstream-Token", "x_upstream_token", "X-Other"])
    func injectedName(_ name: String) throws {
        let fixture = try fixture()
        let token = try fixture.token("joe")
        let connection = try fixture.connect()
        try connection.send(
            """
            POST /own HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nTransfer-Encoding: chunked\r
            X-Upstream-Token: fake\r\n\r\n5\r\nhello\r\n0\r\n\(name): fake\r\n\r\n
            """)
        #expect(try connection.readResponse(to: "POST").status == 200)
        let request = try fixture.lastRequest("/own")
        #expect(request.values("X-Upstream-Token").count == 1)
        #expect(request.only("X-Upstream-Token") != "fake")
        #expect(request.trailers.isEmpty)
        #expect(request.body == Array("hello".utf8))
    }

    @Test("CHAL-01: an absolute-form target without a path is shown as its path")
    func absoluteFormWithoutPath() throws {
        let fixture = try Fixture { settings in
            settings.addRoutes(#"{"path": "/", "upstream": "stub", "webgate": "InventoryWG"}"#)
        }
        let connection = try fixture.connect()
        try connection.send("GET http://gw.example.com?x=1 HTTP/1.1\r\nHost: gw.example.com\r\n\r\n")
        let challenge = try #require(connection.readResponse().only("WWW-Authenticate"))
        #expect(challenge.hasPrefix(#"OAM-Auth realm="InventoryWG:2 /", "#), "\(challenge)")
    }
}
