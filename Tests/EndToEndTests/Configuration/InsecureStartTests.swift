import Foundation
import Testing

/// An obviously insecure configuration is refused without `--insecure`.
@Suite struct InsecureStartTests {
    private func settings(_ address: String) -> FixtureSettings {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["listeners"] = #"[{"name": "public", "address": "\#(address)", "port": 0}]"#
        return settings
    }

    @Test("secrets of the sample configuration are refused where other machines reach the gateway")
    func sampleSecrets() throws {
        let directory = try ConfigurationDirectory(["gateway.json": settings("0.0.0.0").text])
        let served = try CommandLine.run("serve", "--config", directory.path)
        #expect(served.ending == .exit(1))
        #expect(
            GatewayProcess.findings(in: served.errors).contains(
                "error: /backends/0/clientSecret: the secret is that of the sample"))
        #expect(served.errors.contains("`serve` refuses it without --insecure"))
        #expect(!served.errors.contains("listening"))
        #expect(!served.errors.contains("inv-secret"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/state"))
        let checked = try CommandLine.run("check", directory.path)
        #expect(checked.ending == .exit(0) && checked.errors.contains("warning: /backends/0/clientSecret: "))
        let production = try CommandLine.run("check", directory.path, "--production")
        #expect(production.ending == .exit(1) && production.errors.contains("error: /backends/0/clientSecret: "))
    }

    @Test("the flag and the variable start it all the same")
    func forced() throws {
        for (arguments, environment) in [(["--insecure"], [:]), ([], ["PORTCULLIS_INSECURE": "1"])] {
            let gateway = try GatewayProcess(
                ConfigurationDirectory(["gateway.json": settings("0.0.0.0").text]), environment: environment,
                arguments: arguments)
            #expect(try gateway.port() > 0)
        }
    }

    @Test("a gateway that only this machine reaches is exempt; a reload is judged like a start")
    func reload() throws {
        let gateway = try GatewayProcess(["gateway.json": settings("127.0.0.1").text])
        try gateway.configuration.write("gateway.json", settings("0.0.0.0").text)
        let reloaded = try Program.run(
            GatewayProcess.binary, ["reload", "--admin", "http://127.0.0.1:\(gateway.port("admin"))"],
            environment: ["PORTCULLIS_ADMIN_TOKEN": "admin-secret"])
        #expect(reloaded.ending != .exit(0))
        #expect((reloaded.output + reloaded.errors).contains("without --insecure"))
    }

    @Test("a listener for other proxies counts as one that other machines reach")
    func forwardAuth() throws {
        var settings = settings("127.0.0.1")
        settings["listeners"] = """
            [{"name": "public", "address": "127.0.0.1", "port": 0},
             {"name": "decisions", "address": "0.0.0.0", "port": 0, "forwardAuth": {"path": "/_auth"}}]
            """
        settings["trustedProxies"] = #"["192.0.2.0/24"]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let served = try CommandLine.run("serve", "--config", directory.path)
        #expect(served.ending == .exit(1))
        #expect(
            GatewayProcess.findings(in: served.errors).contains(
                "error: /backends/0/clientSecret: the secret is that of the sample"))
    }

    @Test("policy servers and collectors elsewhere are verified, too")
    func unverifiedPeers() throws {
        for host in ["192.0.2.1", "127.0.0.1"] {
            var settings = settings("0.0.0.0")
            settings["policyServers"] = #"{"authz": {"url": "https://\#(host)/v1", "tls": {"verify": false}}}"#
            settings["tracing"] = #"{"url": "https://\#(host)/v1/traces", "tls": {"verify": false}}"#
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            let checked = try CommandLine.run("check", directory.path)
            for pointer in ["/policyServers/authz/tls/verify", "/tracing/tls/verify"] {
                let message = "\(pointer): certificates of a server on another machine are not verified"
                #expect(checked.errors.contains(message) == (host == "192.0.2.1"), "\(checked.errors)")
            }
        }
    }

    @Test("servers elsewhere whose certificates are not verified are refused; those of this machine are not")
    func unverified() throws {
        for (url, isRefused) in [("https://192.0.2.1", true), ("https://127.0.0.1:1", false)] {
            var settings = settings("0.0.0.0")
            settings["upstreams"] = #"{"stub": {"url": "\#(url)", "tls": {"verify": false}}}"#
            let directory = try ConfigurationDirectory(["gateway.json": settings.text])
            let checked = try CommandLine.run("check", directory.path)
            #expect(
                checked.errors.contains("certificates of a server on another machine are not verified") == isRefused)
        }
    }
}
