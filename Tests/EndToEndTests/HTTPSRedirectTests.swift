import Foundation
import Testing

/// A plain listener that sends its clients to `https`.
@Suite(.tags(.engine)) struct HTTPSRedirectTests {
    /// - Parameter setting: of the listener `public`, beside which `other` has the routes.
    private func fixture(_ setting: String, more: String = "") throws -> (Fixture, GatewayProcess) {
        let fixture = try Fixture { settings in
            settings["log"] = #"{"fields": ["host"]}"#
            settings["listeners"] = """
                [{"name": "public", "address": "127.0.0.1", "port": 0, "http2": true, "redirectToHttps": \(setting)\(more)},
                 {"name": "other", "address": "127.0.0.1", "port": 0}]
                """
        }
        return (fixture, fixture.gateway)
    }

    @Test(
        "each request is sent to the same host and target",
        arguments: [
            ("GET", "/open/x?y=%2F&z", "https://gw.example.com/open/x?y=%2F&z"),
            ("HEAD", "/inventory/items", "https://gw.example.com/inventory/items"),
            ("POST", "/oauth2/token", "https://gw.example.com/oauth2/token"),
            ("GET", "//evil.example/%2e%2e", "https://gw.example.com//evil.example/%2e%2e"),
            ("GET", "/.well-known/jwks.json", "https://gw.example.com/.well-known/jwks.json"),
            ("DELETE", "http://gw.example.com/a", "https://gw.example.com/a"),
        ])
    func everyRequest(_ method: String, _ target: String, _ location: String) throws {
        let (fixture, gateway) = try fixture("true")
        let response = try fixture.request(
            method, target,
            ["Host: gw.example.com:8080", "X-Forwarded-Host: evil.example", "Origin: https://a.example"],
            body: method == "POST" ? "a=b" : nil)
        #expect(response.status == 308)
        #expect(response.values("Location") == [location])
        #expect(response.text.isEmpty && response.values("Content-Length") == ["0"])
        #expect(fixture.upstream.requests("/open/x").isEmpty)
        let line = try #require(gateway.waitForAccess { $0["reason"].string == "redirected" })
        #expect(line["status"].integer == 308 && line["decision"].string == "answered")
        #expect(line["host"].string?.hasPrefix("gw.example.com") == true && line["route"].string == nil)
        // The other listener has the routes.
        #expect(try gateway.request("GET", "/open/x", listener: "other").status == 200)
    }

    @Test("port and status are settings; a connection stays open")
    func settings() throws {
        let (fixture, _) = try fixture(#"{"port": 8443, "status": 301}"#)
        let connection = try fixture.connect()
        for host in ["a.example", "[::1]:80"] {
            let response = try connection.exchange("GET", "/a?b", [Field(name: "Host", value: host)])
            #expect(response.status == 301)
            #expect(response.values("Location") == ["https://\(host.replacing("]:80", with: "]")):8443/a?b"])
        }
    }

    @Test("hosts that are none are refused")
    func hosts() throws {
        let (fixture, _) = try fixture("true")
        for head in [
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            let connection = try fixture.connect()
            try connection.send(head)
            let response = try connection.readResponse()
            #expect(response.status == 400 && response.values("Location").isEmpty, "\(head)")
        }
        let asterisk = try fixture.request("OPTIONS", "*")
        #expect(asterisk.status == 404 && asterisk.values("Location").isEmpty)
    }

    // curl 7.88 fails if a stream that it still uploads to is answered and reset, so that no case has a body.
    @Test("HTTP/2 by prior knowledge", arguments: [[], ["-I"]])
    func http2(_ options: [String]) throws {
        let (_, gateway) = try fixture("true")
        let result = try Program.run(
            "/usr/bin/curl",
            ["-sS", "--http2-prior-knowledge", "-o", "/dev/null", "-w", "%{http_version} %{http_code} %{redirect_url}"]
                + options + ["http://127.0.0.1:\(try gateway.port())/a?b"])
        #expect(result.output == "2 308 https://127.0.0.1/a?b", "\(result.errors)")
    }

    @Test("an upload that the gateway does not read is answered")
    func upload() throws {
        let (fixture, _) = try fixture("true")
        let connection = try fixture.connect()
        let body = String(repeating: "a", count: 50_000)
        for _ in 0..<2 {
            #expect(try connection.exchange("POST", "/open/x", ["Host: a.example"], body: body).status == 308)
        }
        #expect(fixture.upstream.requests("/open/x").isEmpty)
    }

    @Test("a reload gives the listener its routes, to open connections too")
    func reload() throws {
        let (fixture, _) = try fixture("true")
        let connection = try fixture.connect()
        #expect(try connection.exchange("GET", "/open/x").status == 308)
        try fixture.reload { settings in
            settings["listeners"] = """
                [{"name": "public", "address": "127.0.0.1", "port": 0, "http2": true},
                 {"name": "other", "address": "127.0.0.1", "port": 0}]
                """
        }
        let deadline = Deadline.usual
        while try fixture.request("GET", "/open/x").status != 200, !deadline.isPast {}
        #expect(try connection.exchange("GET", "/open/x").status == 200)
    }

    @Test("explain says it where all plain listeners redirect")
    func explanation() throws {
        let fixture = try SecureFixture { settings in
            settings["listeners"] = settings["listeners"]?.replacing(
                #""http2": true}"#, with: #""redirectToHttps": {"port": 8443}}"#)
        }
        let arguments = [
            "explain", "GET", "/open/x?y", "--config", fixture.gateway.configuration.path, "--host", "a.example:80",
        ]
        let plain = try Program.run(GatewayProcess.binary, arguments + ["--plain"])
        #expect(plain.output.hasSuffix("ok answer      308 to https://a.example:8443/open/x?y"), "\(plain.errors)")
        #expect(try Program.run(GatewayProcess.binary, arguments).output.hasSuffix("forwarded to stub"))
        let answer = try fixture.gateway.request("GET", "/open/x?y", ["Host: a.example:80"])
        #expect(answer.values("Location") == ["https://a.example:8443/open/x?y"])
    }
}
