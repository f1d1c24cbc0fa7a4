import Configuration
import Declaration
import Foundation
import Model
import Testing

@Suite struct TransportWarningTests {
    private func findings(
        _ files: [String: String], production: Bool = false, _ severity: Severity = .warning
    ) throws -> [String] {
        let directory = try ConfigurationDirectory(files.merging(InvalidCase.pemFiles) { $1 })
        let key = directory.url.appending(path: "key.pem").path(percentEncoded: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let loaded = directory.load(production: production)
        if severity != .error { #expect(loaded.lines(.error) == []) }
        return loaded.diagnostics.filter { $0.severity == severity && $0.pointer != "/store/kind" }.map(\.description)
    }

    private func upstream(_ members: String) -> String {
        """
        { "baseUrl": "https://a.example", "listeners": [{ "address": "127.0.0.1", "port": 80 }],
        "upstreams": { "inventory": {
        \(members) } } }
        """
    }

    @Test func http2WithoutTLS() throws {
        let gateway = """
            { "baseUrl": "http://a.example",
              "listeners": [{ "address": "127.0.0.1", "port": 80,
                              "http2": true }] }
            """
        #expect(
            try findings(["gateway.json": gateway], .note) == [
                "gateway.json:3: note: /listeners/0/http2: without TLS, HTTP/2 needs clients with prior knowledge (h2c)"
            ])
        #expect(try findings(["gateway.json": gateway]) == [])
    }

    @Test func keyThatEverybodyReads() throws {
        let directory = try ConfigurationDirectory(
            [
                "gateway.json": """
                { "baseUrl": "https://a.example", "listeners": [{ "address": "::1", "port": 443, "tls": {
                  "certificates": [{ "certFile": "cert.pem",
                    "keyFile": "key.pem" }] } }] }
                """
            ].merging(InvalidCase.pemFiles) { $1 })
        let key = directory.url.appending(path: "key.pem").path(percentEncoded: false)
        for (mode, isSaid) in [(0o644, true), (0o604, true), (0o640, false), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
            let said = directory.load().lines(.warning).filter { $0.contains("/keyFile") }
            let line =
                "gateway.json:3: warning: /listeners/0/tls/certificates/0/keyFile: the key is readable by all users of this machine (expected chmod 600 \(key))"
            let expected = isSaid ? [line] : []
            #expect(said == expected, "\(String(mode, radix: 8))")
        }
    }

    @Test func drainedServersAndBackups() throws {
        let drained = upstream(#""servers": [{ "url": "http://a.example", "weight": 0 }]"#)
        #expect(
            try findings(["gateway.json": drained]) == [
                "gateway.json:3: warning: /upstreams/inventory/servers: every server has weight 0, so no request is sent (expected a server with a weight)"
            ])
        let backups = upstream(#""servers": [{ "url": "http://a.example", "backup": true }]"#)
        #expect(
            try findings(["gateway.json": backups]) == [
                "gateway.json:3: warning: /upstreams/inventory/servers: there are only backups (expected not a server)"
            ])
    }

    @Test func upstreamThatIsNotVerified() throws {
        let gateway = upstream(#""url": "https://a.example", "tls": { "verify": false }"#)
        let text =
            "/upstreams/inventory/tls/verify: a man in the middle can impersonate the upstream (expected \"verify\": true, with \"caFile\" where it is needed)"
        #expect(try findings(["gateway.json": gateway]) == ["gateway.json:3: warning: \(text)"])
        #expect(try findings(["gateway.json": gateway], production: true, .error) == ["gateway.json:3: error: \(text)"])
    }

    @Test(
        arguments: [
            (#""url": "http://10.0.0.1:9000""#, "http://10.0.0.1:9000"),
            (#""servers": [{ "url": "http://[::1]:1" }, { "url": "http://api.example" }]"#, "http://api.example:80"),
            (#""url": "http://127.0.0.1:9000""#, nil), (#""url": "https://10.0.0.1""#, nil),
            (#""url": "unix:app.sock""#, nil),
        ] as [(String, String?)])
    func tokensInTheClear(members: String, found: String?) throws {
        let routes = [
            #"[{ "path": "/a", "upstream": "inventory", "injection": { "issuer": "local" } }]"#,
            #"[{ "path": "/a", "upstream": "inventory", "webgate": "MainWG" }]"#,
        ]
        for text in routes {
            let files = [
                "gateway.json": upstream(members), "routes.json": text,
                "webgates.json": #"[{ "name": "MainWG", "level": 2, "injection": { "issuer": "local" } }]"#,
            ]
            let expected: [String] = [found].compactMap { $0 }.map { server in
                "gateway.json:2: warning: /upstreams/inventory: tokens are sent to the upstream without TLS (expected a URL with https, found \"\(server)\")"
            }
            #expect(try findings(files, production: true) == expected)
            #expect(try findings(files) == [])
        }
        #expect(try findings(["gateway.json": upstream(members)], production: true) == [])
    }
}
