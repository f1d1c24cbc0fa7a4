import Foundation
import Glibc
import Testing

/// `portcullis reload` and `portcullis status` (GW-11).
@Suite struct ReloadCommandTests {
    private func run(
        _ words: String..., token: String? = "admin-secret"
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(
            GatewayProcess.binary, words, environment: token.map { ["PORTCULLIS_ADMIN_TOKEN": $0] } ?? [:])
    }

    @Test("a reload returns when the configuration is active; an invalid one is rejected with its errors")
    func reload() throws {
        let fixture = try Fixture()
        let url = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        let status = { (origin: String) in
            try fixture.request("GET", "/open/x", [.origin(origin)]).status
        }
        for round in 1...10 {
            try fixture.gateway.configuration.write(
                "policies.json", #"{"Security_AllowOrigin": "https://r\#(round).example.com"}"#)
            let done = try run("reload", "--admin", url)
            #expect(done.ending == .exit(0) && done.output.isEmpty && done.errors.isEmpty, "\(done)")
            for _ in 0..<4 { #expect(try status("https://r\(round).example.com") == 200) }
        }
        #expect(try run("status", "--admin", url, token: nil).output == "ready\nconfiguration: 11\nrefused reloads: 0")
        try fixture.gateway.configuration.write(
            "policies.json", #"{"Security_AllowOrigins": "*", "Security_TokenExchangeTimeoutSecs": "6h"}"#)
        let bad = try run("reload", "--admin", url)
        #expect(bad.ending == .exit(1))
        #expect(bad.errors.contains(#"policies.json:1: error: /policies/Security_AllowOrigins: unknown member"#))
        #expect(bad.errors.contains("error: /policies/Security_TokenExchangeTimeoutSecs: invalid value"))
        #expect(bad.errors.contains("the last good one stays in force"), "\(bad.errors)")
        #expect(try status("https://r10.example.com") == 200)
        let after = try run("status", "--admin", url)
        #expect(after.ending == .exit(0))
        #expect(after.output == "ready\nconfiguration: 11\nrefused reloads: 1")
        let answer = try fixture.admin("POST", "/admin/reload")
        #expect(answer.status == 422)
        #expect(JSONText(answer.text)["errors"].list.count == 2, "\(answer.text)")
        #expect(try run("reload", "--admin", url, token: "wrong").errors.contains("the admin token is not accepted"))
        try fixture.gateway.stop()
        for command in ["reload", "status"] {
            let gone = try run(command, "--admin", url)
            #expect(gone.ending == .exit(1) && gone.errors.contains("Connection refused"), "\(gone)")
        }
    }

    @Test("a reload names the changed settings that need a restart, and says nothing once they are as before")
    func restart() throws {
        let fixture = try Fixture()
        let url = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        var settings = FixtureSettings(upstream: fixture.upstream.url)
        let before = settings.text
        settings["log"] = #"{"access": "off"}"#
        settings["tokenCache"] = #"{"maxEntries": 5}"#
        settings["policies"] = #"{"Security_AllowOrigin": "https://a.example.com"}"#
        try fixture.gateway.configuration.write("gateway.json", settings.text)
        let keys = "log.access, tokenCache.maxEntries"
        let done = try run("reload", "--admin", url)
        #expect(done.ending == .exit(0) && done.output.isEmpty, "\(done)")
        #expect(done.errors == "portcullis: changed; takes effect after a restart: \(keys)")
        let answer = try fixture.admin("POST", "/admin/reload")
        #expect(answer.status == 204 && answer.only("X-Gateway-Restart") == keys)
        #expect(
            Set(fixture.gateway.events("reload_ignored", count: 4).map { $0["keys"].strings }) == [
                ["log.access"], ["tokenCache.maxEntries"],
            ])
        try fixture.gateway.configuration.write("gateway.json", before)
        #expect(try fixture.admin("POST", "/admin/reload").only("X-Gateway-Restart") == nil)
        #expect(try run("reload", "--admin", url).errors.isEmpty)
    }

    @Test("a directory determines its gateway's address, port and token")
    func byDirectory() throws {
        let fixture = try Fixture()
        let port = try fixture.gateway.port("admin")
        let text = { (port: UInt16) in
            #"{"admin": {"address": "0.0.0.0", "port": \#(port), "adminToken": "admin-secret"}, "broken": 1}"#
        }
        // What else is wrong with it is for the gateway to say.
        let other = try ConfigurationDirectory(["gateway.json": text(port)])
        #expect(try run("status", "--config", other.path, token: nil).output.hasPrefix("ready\nconfiguration: 1\n"))
        let reloaded = try run("reload", "--config", other.path, token: nil)
        #expect(reloaded.ending == .exit(0), "\(reloaded.errors)")
        #expect(try run("status", "--config", other.path, token: nil).output.contains("configuration: 2\n"))
        let tokens = try run("tokens", "list", "--subject", "nobody", "--config", other.path, token: nil)
        #expect(tokens.ending == .exit(0) && tokens.output.isEmpty, "\(tokens)")
        let whose = try run("tokens", "revoke", "--config", other.path, token: nil)
        #expect(whose.ending == .exit(2) && whose.errors.contains("usage: portcullis tokens"), "\(whose)")
        let proxy = try run("reload", "--admin", fixture.url)
        #expect(
            proxy.ending == .exit(1) && proxy.errors.contains("no admin listener of a gateway"), "\(proxy)")
        let echo = try run("status", "--admin", fixture.url)
        #expect(echo.ending == .exit(1) && echo.errors.contains("no admin listener of a gateway"), "\(echo)")
        try other.write("gateway.json", "{ // a comment\n}")
        let broken = try run("status", "--config", other.path)
        #expect(broken.ending == .exit(1) && broken.errors.contains("gateway.json:1: error: "), "\(broken)")
        #expect(try run("reload", "--config", other.path + "/none").errors.contains("cannot be read"))
        try other.write("gateway.json", text(0))
        let lost = try run("reload", "--config", other.path)
        #expect(lost.ending == .exit(1) && lost.errors.contains("has no admin listener with a port"), "\(lost)")
        let commented = try ConfigurationDirectory(["gateway.jsonc": text(0)])
        let named = try run("issuer", "refresh", "idp", "--config", commented.path)
        #expect(named.ending == .exit(1) && named.errors.contains("/gateway.jsonc has no admin listener"), "\(named)")
        let both = try run("reload", "--config", other.path, "--admin", "http://127.0.0.1:1")
        #expect(both.ending == .exit(2) && both.errors.contains("either --admin URL or --config DIR"))
    }

    @Test("status of a gateway that is not ready exits with 1")
    func notReady() throws {
        let fixture = try Fixture {
            $0["trustedIssuers"] = #"""
                [{"name": "idp", "issuer": "https://idp.example.com", "audience": ["a"],
                  "jwksUri": "http://127.0.0.1:9/keys", "allowHttp": true}]
                """#
        }
        let url = "http://127.0.0.1:\(try fixture.gateway.port("admin"))"
        let result = try run("status", "--admin", url)
        #expect(result.ending == .exit(1))
        #expect(result.output.hasPrefix("not ready\nwaiting for keys\nissuer idp: no keys"), "\(result)")
    }
}
