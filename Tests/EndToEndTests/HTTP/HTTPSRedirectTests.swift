import Foundation
import Testing

/// A plain listener that sends its clients to `https`.
@Suite(.tags(.engine)) struct HTTPSRedirectTests {
    /// - Parameter setting: of the listener `public`, beside which `other` has the routes.
    private func fixture(
        _ setting: String, more: String = "", _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws -> (Fixture, GatewayProcess) {
        let fixture = try Fixture { settings in
            change(&settings)
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
        for host in ["GW.example.com", "[::1]:80"] {
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

    @Test(
        "a host that is not the gateway's is refused, so that no cache keeps a redirect to it",
        arguments: [
            ("evil.example", false), ("203.0.113.9", false), ("gw.example.com.evil.example", false),
            ("evil.gw.example.com", false), ("[2001:db8::1]", false), ("[2001:db8::1]:8080", false),
            ("gw.example.com:1", true), ("further.example.com", true), ("127.0.0.1", true), ("[::1]", true),
            ("localhost:8080", true), ("api.example.com", true), ("a.shop.example.com", true),
            ("shop.example.com", false),
        ])
    func foreignHosts(_ host: String, _ isKnown: Bool) throws {
        let (fixture, gateway) = try fixture("true") { settings in
            settings["additionalBaseUrls"] = #"["http://further.example.com"]"#
            settings["routes"] =
                #"[{"path": "/a", "hosts": ["api.example.com", "*.shop.example.com"], "upstream": "stub"}]"#
        }
        let response = try fixture.request("GET", "/a", ["Host: \(host)", "Accept: application/json"])
        #expect(response.status == (isKnown ? 308 : 421))
        #expect(response.values("Location").isEmpty == !isKnown)
        if !isKnown {
            #expect(JSONText(response.text)["code"].string == "unknown_host")
            #expect(gateway.waitForAccess { $0["reason"].string == "unknown_host" }?["decision"].string == "denied")
        }
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
            #expect(try connection.exchange("POST", "/open/x", ["Host: localhost"], body: body).status == 308)
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
        let certificates = [(name: "tls", subject: "DNS:localhost,DNS:gateway.test,DNS:*.wild.test")]
        let fixture = try SecureFixture(certificates: certificates) { settings in
            settings["listeners"] = settings["listeners"]?.replacing(
                #""http2": true}"#, with: #""redirectToHttps": {"port": 8443}}"#)
        }
        let arguments = [
            "explain", "GET", "/open/x?y", "--config", fixture.gateway.configuration.path, "--host",
            "gw.example.com:80",
        ]
        let plain = try Program.run(GatewayProcess.binary, arguments + ["--plain"])
        #expect(plain.output.hasSuffix("ok answer      308 to https://gw.example.com:8443/open/x?y"), "\(plain.errors)")
        #expect(try Program.run(GatewayProcess.binary, arguments).output.hasSuffix("forwarded to stub"))
        let answer = try fixture.gateway.request("GET", "/open/x?y", ["Host: gw.example.com:80"])
        #expect(answer.values("Location") == ["https://gw.example.com:8443/open/x?y"])
        let foreign = try Program.run(GatewayProcess.binary, arguments.dropLast() + ["evil.example", "--plain"])
        #expect(foreign.output.contains("unknown_host"), "\(foreign.output)\(foreign.errors)")
        // The names of its certificates are the gateway's.
        for host in ["gateway.test", "a.wild.test:8080", "a.b.wild.test", "evil.example"] {
            let isKnown = ["gateway.test", "a.wild.test:8080"].contains(host)
            let answer = try fixture.gateway.request("GET", "/", ["Host: \(host)"])
            #expect(answer.status == (isKnown ? 308 : 421), "\(host)")
        }
    }
}
