import Foundation
import Testing

/// `portcullis check --connect`: each server that a configuration names is tried, and a line says what came.
@Suite struct ConnectCheckTests {
    private func check(
        _ directory: ConfigurationDirectory
    ) throws -> (ending: Program.Ending, lines: [String], errors: String) {
        let result = try CommandLine.run("check", directory.path, "--connect")
        return (result.ending, result.output.split(separator: "\n").map(String.init), result.errors)
    }

    /// A configuration that names a server of each kind, all at one place.
    private func settings(_ origin: String, _ issuer: String, store: UInt16?) -> FixtureSettings {
        var settings = FixtureSettings(upstream: origin)
        settings["trustedIssuers"] = FixtureSettings.list([
            issuer,
            #"""
            {"name": "as", "issuer": "https://as.example.com", "audience": ["gateway"],
             "introspection": {"url": "\#(origin)/introspect?key=hidden-query", "clientId": "gateway",
                               "clientSecret": "hidden-secret", "allowHttp": true}}
            """#,
        ])
        settings["policyServers"] = #"{"authz": {"url": "\#(origin)/allow", "allowHttp": true}}"#
        settings["tracing"] = #"{"url": "\#(origin)/v1/traces", "allowHttp": true}"#
        if let store {
            settings["store"] =
                #"{"kind": "redis", "url": "redis://127.0.0.1:\#(store)", "password": "hidden-password"}"#
        }
        return settings
    }

    @Test("servers that answer, and certificates with their end")
    func good() throws {
        let issuer = try StubIssuer(keys: "a", "b")
        let upstream = try StubUpstream()
        defer { upstream.stop() }
        // Any answer shows that it is there.
        for path in ["/introspect", "/allow"] { upstream.on(path) { _ in [.reply("405 Method Not Allowed")] } }
        let directory = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("tls", "DNS:gw.example.com", in: directory)
        var settings = settings(upstream.url, issuer.entry(), store: nil)
        settings["listeners"] = """
            [{"name": "secure", "address": "127.0.0.1", "port": 0,
              "tls": {"certificates": [{"certFile": "tls/cert.pem", "keyFile": "tls/key.pem"}]}}]
            """
        try directory.write("gateway.json", settings.text)
        let result = try check(directory)
        #expect(result.ending == .exit(0), "\(result)")
        for line in [
            "ok     issuer idp: 2 keys by \(issuer.server.url)/discovery",
            "ok     introspection as: \(upstream.url)/introspect answers, status 405",
            "ok     policy server authz: \(upstream.url)/allow answers, status 405",
            "ok     collector: \(upstream.url)/v1/traces answers, status 200",
            "ok     upstream stub: \(upstream.url) at 127.0.0.1:\(upstream.port)", "6 targets tried, 0 failed",
        ] { #expect(result.lines.contains(line), "\(line): \(result)") }
        let certificate = try #require(result.lines.first { $0.hasPrefix("ok     certificate /listeners/0/tls/") })
        #expect(try certificate.contains(Regex(#": gw\.example\.com, certificate until 20\d\d-.* \(\d+ days\)$"#)))
        // What was asked has no credential.
        #expect(upstream.requests("/introspect").allSatisfy { $0.method == "HEAD" && $0.only("Authorization") == nil })
    }

    @Test("servers that do not: the failure of each kind, without secrets", arguments: ["refused", "unknown", "500"])
    func bad(_ fault: String) throws {
        let server = try StubUpstream()
        for path in ["/keys", "/introspect", "/allow", "/v1/traces"] {
            server.on(path) { _ in [.reply("500 Internal Server Error")] }
        }
        if fault == "refused" { server.stop() }
        defer { server.stop() }
        let origin = fault == "unknown" ? "http://peer.invalid:8081" : server.url
        let gone = try StubUpstream()
        gone.stop()
        let issuer = #"""
            {"name": "idp", "issuer": "https://idp.example", "audience": ["api"], "allowHttp": true,
             "jwksUri": "\#(origin)/keys"}
            """#
        let directory = try ConfigurationDirectory([
            "gateway.json": settings(origin, issuer, store: gone.port).text
        ])
        let result = try check(directory)
        #expect(result.ending == .exit(1), "\(result)")
        let text = result.lines.joined(separator: "\n")
        let reason = fault == "refused" ? "connect: Connection refused" : fault == "unknown" ? "resolve: " : "500"
        for name in ["issuer idp", "introspection as", "policy server authz", "collector"] {
            let line = try #require(result.lines.first { $0.hasPrefix("FAILED \(name): ") }, "\(result)")
            #expect(line.contains(reason) && line.contains(fault == "500" && name == "issuer idp" ? "key" : origin))
        }
        let upstream = fault == "500" ? "ok     upstream stub: " : "FAILED upstream stub: \(origin)"
        #expect(text.contains(upstream), "\(result)")
        #expect(text.contains("FAILED store: redis://127.0.0.1:\(gone.port) at 127.0.0.1:\(gone.port): connect: "))
        #expect(result.lines.last == "6 targets tried, \(fault == "500" ? 5 : 6) failed")
        for hidden in ["hidden-query", "hidden-secret", "hidden-password"] {
            #expect(!text.contains(hidden) && !result.errors.contains(hidden))
        }
    }

    @Test("TLS: a certificate that is not trusted, and one that is, with its end")
    func tls() throws {
        let back = try SecureFixture()
        let url = "https://127.0.0.1:\(try back.gateway.port("secure"))"
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["upstreams"] = """
            {"stub": {"url": "\(url)"}, "trusting": {"url": "\(url)", "tls": {"caFile": "\(back.file("tls/cert.pem"))"}}}
            """
        let result = try check(try ConfigurationDirectory(["gateway.json": settings.text]))
        #expect(result.ending == .exit(1))
        let text = result.lines.joined(separator: "\n")
        #expect(text.contains("tls: certificate_invalid: self") && text.contains("FAILED upstream stub: \(url) at "))
        #expect(
            try text.contains(Regex(#"ok     upstream trusting: https://127\.0\.0\.1:\d+ at .*, certificate until 20"#))
        )
    }

    @Test("an expired certificate of the gateway's own, and an invalid configuration")
    func others() throws {
        let broken = try ConfigurationDirectory(["gateway.json": "{"])
        let result = try check(broken)
        #expect(result.ending == .exit(1) && result.errors.contains("no server is tried"), "\(result)")
    }
}
