import Foundation
import Testing

/// Issue B: upstreams over TLS, HTTP/2 and unix sockets, from the JSON to the wire. The server is another gateway, whose
/// counters say how it was spoken to.
@Suite(.tags(.engine)) struct SecureUpstreamTests {
    /// The gateway under test in front of another.
    private func front(_ back: SecureFixture, _ upstream: String) throws -> Fixture {
        try Fixture { settings in
            settings["upstreams"] = #"{"stub": {\#(upstream)}}"#
            settings["workers"] = "1"
        }
    }

    private func trust(_ back: SecureFixture) -> String { #""caFile": "\#(back.file("tls/cert.pem"))""# }

    @Test("https upstreams use HTTP/2 if both sides support it, otherwise HTTP/1.1, on kept connections")
    func https() throws {
        for (listener, http2, expected) in [("secure", true, 1.0), ("secure", false, 0), ("old", true, 0)] {
            let back = try SecureFixture()
            let url = "https://localhost:\(try back.gateway.port(listener))"
            let fixture = try front(back, #""url": "\#(url)", "http2": \#(http2), "tls": {\#(trust(back))}"#)
            for number in 0..<5 { #expect(try fixture.request("GET", "/open/\(number)").status == 200) }
            let body = String(repeating: "b", count: 100_000)
            #expect(try fixture.request("POST", "/open/body", body: body).status == 200)
            #expect(back.upstream.requests("/open/body").first?.bodyCount == 100_000)
            let metrics = try back.gateway.metrics()
            #expect(metrics.sum("portcullis_http2_connections_total") == expected, "\(listener) \(http2)")
            #expect(metrics.sum("portcullis_tls_handshakes_total") == 1)
        }
    }

    @Test("HTTP/2 without TLS works by prior knowledge")
    func clear() throws {
        let back = try SecureFixture()
        let url = "http://127.0.0.1:\(try back.gateway.port("public"))"
        let fixture = try front(back, #""url": "\#(url)", "http2": true"#)
        for number in 0..<5 { #expect(try fixture.request("GET", "/open/\(number)").status == 200) }
        #expect(try back.gateway.metrics().sum("portcullis_http2_connections_total") == 1)
    }

    @Test("an untrusted certificate, or one for another name, is 502 and logged")
    func untrusted() throws {
        let back = try SecureFixture()
        let port = try back.gateway.port("secure")
        let cases = [
            #""url": "https://localhost:\#(port)""#,
            #""url": "https://localhost:\#(port)", "tls": {\#(trust(back)), "serverName": "other.test"}"#,
        ]
        for members in cases {
            let fixture = try front(back, members)
            let response = try fixture.request("GET", "/open/x")
            #expect(response.status == 502)
            #expect(JSONText(response.text)["code"].string == "upstream_tls_failed")
            let event = try #require(fixture.gateway.waitForEvent("connection_failed"))
            #expect(event["step"].string == "tls" && event["upstream"].string == "stub")
        }
        #expect(back.upstream.requests.isEmpty)
        let blind = try front(back, #""url": "https://localhost:\#(port)", "tls": {"verify": false}"#)
        #expect(try blind.request("GET", "/open/x").status == 200)
    }

    @Test("the gateway presents its client certificate")
    func ownCertificate() throws {
        let certificates = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("authority", "DNS:authority.test", in: certificates)
        try TLSClientTests.issue("gateway", by: "authority", in: certificates)
        let path = certificates.path
        let back = try SecureFixture(tls: #""clientAuth": "required", "clientCaFile": "\#(path)/authority/cert.pem", "#)
        let url = #""url": "https://localhost:\#(try back.gateway.port("secure"))""#
        let bare = try front(back, #"\#(url), "tls": {\#(trust(back))}"#)
        #expect(try bare.request("GET", "/open/x").status == 502)
        let own = #""certFile": "\#(path)/gateway.pem", "keyFile": "\#(path)/gateway.key""#
        let fixture = try front(back, #"\#(url), "tls": {\#(trust(back)), \#(own)}"#)
        #expect(try fixture.request("GET", "/open/x").status == 200)
    }

    @Test("a unix socket works as an upstream, including its disappearance and return")
    func unixSocket() throws {
        let directory = try ConfigurationDirectory()
        let path = directory.path + "/app.sock"
        let stub = try StubUpstream()
        func start() throws -> GatewayProcess {
            var settings = FixtureSettings(upstream: stub.url)
            settings["listeners"] = #"[{"name": "local", "address": "unix:\#(path)"}]"#
            return try GatewayProcess(["gateway.json": settings.text], listeners: ["admin"])
        }
        var back: GatewayProcess? = try start()
        let fixture = try Fixture { $0["upstreams"] = #"{"stub": {"url": "unix:\#(path)"}}"# }
        for _ in 0..<8 { #expect(try fixture.request("GET", "/open/x").status == 200) }
        #expect(stub.requests("/open/x").last?.only("Host") != nil)
        back?.program.signal(SIGTERM)
        #expect(back?.program.waitForEnd() == .exit(0))
        back = nil
        let refused = try fixture.request("GET", "/open/x")
        #expect(refused.status == 502 && JSONText(refused.text)["code"].string == "upstream_connect_failed")
        back = try start()
        #expect(try fixture.request("GET", "/open/x").status == 200)
        stub.stop()
    }
}
