import Foundation
import Glibc
import Testing

/// The command line and what a configuration does before anything listens (GW-04, GW-05, GW-12).
@Suite struct CommandTests {
    private func run(_ arguments: String..., input: String? = nil, environment: [String: String] = [:]) throws
        -> (ending: Program.Ending, output: String, errors: String)
    {
        try Program.run(GatewayProcess.binary, arguments, environment: environment, input: input)
    }

    @Test("every command has a help text, and exit status 2 for a usage error")
    func usage() throws {
        for command in ["serve", "check", "hash", "token", "backend", "echo", "version"] {
            let help = try run(command, "--help")
            #expect(help.ending == .exit(0))
            #expect(help.output.hasPrefix("usage: portcullis \(command)"), "\(help.output)")
            #expect(try run(command, "--no-such-option").ending == .exit(2), "\(command)")
        }
        let all = try run("--help")
        #expect(all.ending == .exit(0))
        for command in ["serve", "check", "hash", "token", "echo", "version"] {
            #expect(all.output.contains("  \(command) "))
        }
        #expect(try run().ending == .exit(2))
        #expect(try run("serv").ending == .exit(2))
        #expect(try run("check").ending == .exit(2))
        #expect(try run("serve").ending == .exit(2))
        #expect(try run("version").ending == .exit(0))
        #expect(try run("--version").ending == .exit(0))
    }

    @Test("GW-04: a wrong type is one line with file, line and pointer, and exit status 1")
    func pointer() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["listeners"] = #"[{"name": "public", "address": "127.0.0.1", "port": "x"}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        for command in [["check", directory.path], ["serve", "--config", directory.path]] {
            let result = try Program.run(GatewayProcess.binary, command)
            #expect(result.ending == .exit(1))
            let printed = command[0] == "serve" ? GatewayProcess.findings(in: result.errors) : result.errors
            let lines = printed.split(separator: "\n").filter { $0.contains("error") }
            #expect(lines.count == 1)
            let line = 1 + settings.text.split(separator: "\n").firstIndex { $0.contains("listeners") }!
            #expect(lines.first?.hasPrefix("gateway.json:\(line): error: /listeners/0/port") == true, "\(lines)")
        }
    }

    @Test("GW-04: an unknown key is reported with a suggestion")
    func unknownKey() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["upstream"] = "{}"
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try run("check", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("upstreams"))
    }

    @Test("GW-04: errors found during assembly have a location too")
    func assembly() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["trustedIssuers"] =
            #"[{"name": "idp", "issuer": "https://idp.example.com", "audience": ["a"], "jwksFile": "none.jwks"}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text, "bad.jwks": "[]"])
        #expect(try run("check", directory.path).errors.contains("error: /trustedIssuers/0/jwksFile"))
        settings["trustedIssuers"] = settings["trustedIssuers"]?.replacing("none.jwks", with: "bad.jwks")
        try directory.write("gateway.json", settings.text)
        let result = try run("check", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("error: /trustedIssuers/0/jwksFile"))
        settings["tokenService"] = #"{"keyFile": "bad.jwks"}"#
        try directory.write("gateway.json", settings.text)
        let key = try run("check", directory.path).errors
        #expect(key.contains("error: /tokenService/keyFile: ") && key.contains("it is not a key in PEM form"), "\(key)")
    }

    @Test("a key that libcrypto does not make is an error of the setting, or of the command")
    func unmadeKey() throws {
        let openssl = """
            openssl_conf = library
            [library]
            alg_section = algorithms
            random = generator
            [algorithms]
            default_properties = fips=yes
            [generator]
            random = CTR-DRBG
            properties = fips!=yes
            """
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text, "openssl.cnf": openssl,
        ])
        let environment = ["OPENSSL_CONF": "\(directory.path)/openssl.cnf"]
        let checked = try CommandLine.run("check", directory.path, environment: environment)
        #expect(checked.ending == .exit(1))
        #expect(
            checked.errors.contains("error: /tokenService/keyFile: libcrypto makes no key for ES256"),
            "\(checked.errors)")
        for type in ["ec", "rsa"] {
            let made = try CommandLine.run(
                "key", "generate", "mine", "--type", type, "--dir", "\(directory.path)/keys", environment: environment)
            #expect(made.ending == .exit(1))
            #expect(made.errors.contains("the new key cannot be used"), "\(made.errors)")
        }
    }

    @Test("GW-05: the sample configuration is valid")
    func sample() throws {
        let sample = try SampleConfiguration.copy()
        let result = try run("check", sample.path)
        #expect(result.ending == .exit(0))
        #expect(result.output.hasSuffix("0 errors, 0 warnings"))
    }

    @Test("`check` does not change the directory; `serve` creates private key files")
    func keys() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        #expect(try run("check", directory.path).ending == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/state"))
        let gateway = try GatewayProcess(directory)
        for name in ["challenge.key", "signing.pem"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/state/\(name)")
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o600, "\(name)")
        }
        let kept = try directory.read("state/signing.pem")
        try gateway.stop()
        _ = try GatewayProcess(directory)
        #expect(try directory.read("state/signing.pem") == kept)
    }

    @Test(
        "a key that does not match its algorithm is a configuration error",
        arguments: [
            ("rsa1024", "RS256", "it has 1024 bits, at least 2048 are required"),
            ("rsa2048", "ES256", "it does not fit the algorithm"),
            ("p256-sec1", "ES512", "it does not fit the algorithm"),
            ("rsa2048-encrypted", "PS512", "it is not a key in PEM form"),
            ("rsa2048-public", "RS256", "it is not a key in PEM form"),
        ])
    func signingKeys(file: String, algorithm: String, reason: String) throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["tokenService"] = #"{"algorithm": "\#(algorithm)", "keyFile": "signing.pem"}"#
        let directory = try ConfigurationDirectory([
            "gateway.json": settings.text, "signing.pem": Vectors.text("Tests/Fixtures/crypto/keys/\(file).pem"),
        ])
        let result = try run("check", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("error: /tokenService/keyFile: ") && result.errors.contains(reason), "\(result)")
        let served = try run("serve", "--config", directory.path)
        #expect(served.ending == .exit(1) && served.errors.contains(reason))
    }

    @Test("GW-12: secrets are read from the environment or a file; a missing one is an error")
    func secrets() throws {
        let backends = FixtureSettings.backends.replacing(#""inv-secret""#, with: #""env:INV_SECRET""#)
            .replacing(#""sch-secret""#, with: #""file:sch.secret""#)
        let fixture = try Fixture(
            files: ["sch.secret": "from-a-file\n"], environment: ["INV_SECRET": "from-the-environment"]
        ) {
            $0["backends"] = backends
        }
        let form = "grant_type=client_credentials"
        #expect(try fixture.grant(form, client: "inv-client:from-the-environment").status == 200)
        #expect(try fixture.grant(form, client: "inv-client:env:INV_SECRET").status == 401)
        #expect(try fixture.grant(form, client: "sch-client:from-a-file").status == 200)
        let directory = fixture.gateway.configuration
        let unset = try run("check", directory.path)
        #expect(unset.ending == .exit(1))
        #expect(unset.errors.contains("error: /backends/0/clientSecret"))
        try directory.remove("sch.secret")
        let unreadable = try run("check", directory.path, environment: ["INV_SECRET": "x"])
        #expect(unreadable.ending == .exit(1))
        #expect(unreadable.errors.contains("error: /backends/1/clientSecret"))
    }

    @Test("the running gateway accepts a token printed by `token`")
    func token() throws {
        let fixture = try Fixture()
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(fixture.mint("ann"))]).status == 200)
        #expect(
            try fixture.request("POST", "/inventory/items", [.bearer(fixture.mint("ann"))], body: "x").status == 403)
        let roles = try fixture.mint("ann", "--roles", "Manager,Auditor")
        #expect(try fixture.request("POST", "/inventory/items", [.bearer(roles)], body: "x").status == 200)
        #expect(
            try fixture.request("GET", "/inventory/items", [.bearer(fixture.mint("ann", "--lifetime", "-1"))]).status
                == 401)
        let nobody = try run("token", "--config", fixture.gateway.configuration.path, "--client", "none/1.0")
        #expect(nobody.ending == .exit(1))
    }

    @Test("MBE-01 MBE-04: `backend create` makes unguessable keys, and a reload activates the backend")
    func backend() throws {
        let fixture = try Fixture(files: ["backends.json": FixtureSettings.backends]) { $0["backends"] = nil }
        let directory = fixture.gateway.configuration.path
        let made = try ["2.0", "2.1"].map { version in
            let result = try run("backend", "create", "inventory", version, "--config", directory)
            #expect(result.ending == .exit(0), "\(result.errors)")
            return JSONText(result.output)
        }
        let names = ["mobileBackendId", "anonymousKey", "clientId", "clientSecret"]
        for name in names {
            let values = made.compactMap { $0[name].string }
            #expect(Set(values).count == 2)
            // 128 bits are at least 22 characters of Base64.
            #expect(values.allSatisfy { $0.utf8.count >= 22 }, "\(values)")
        }
        let before = fixture.gateway.events("reloaded").count
        fixture.gateway.program.signal(SIGHUP)
        #expect(fixture.gateway.waitForEvent("reloaded", skipping: before) != nil)
        let client = try "\(#require(made[0]["clientId"].string)):\(#require(made[0]["clientSecret"].string))"
        #expect(try fixture.request("GET", "/plain", [.bearer(fixture.token("joe", client: client))]).status == 200)
        let field = Field(name: "Oracle-Mobile-Backend-ID", value: try #require(made[0]["mobileBackendId"].string))
        #expect(try fixture.request("GET", "/plain", [.basic("joe:Welcome1"), field]).status == 200)
        // Shown without its secret unless asked for.
        let shown = try run("backend", "show", "inventory", "2.0", "--config", directory)
        let secret = try #require(made[0]["clientSecret"].string)
        #expect(shown.ending == .exit(0))
        #expect(!shown.output.contains(secret))
        #expect(
            try run("backend", "show", "inventory", "2.0", "--config", directory, "--secrets").output.contains(secret))
        #expect(try run("backend", "show", "inventory", "--config", directory).ending == .exit(1))
        #expect(try run("backend", "create", "inventory", "2.0", "--config", directory).ending == .exit(1))
    }

    @Test("`hash` never prints the password, and uses a new salt each time")
    func hash() throws {
        let first = try run("hash", input: "opensesame\n")
        let second = try run("hash", input: "opensesame\n")
        #expect(first.ending == .exit(0))
        #expect(first.output.hasPrefix("{scrypt}") && second.output.hasPrefix("{scrypt}"))
        #expect(first.output != second.output)
        #expect(!(first.output + first.errors).contains("opensesame"))
        #expect(try run("hash", "--scheme", "MD5", input: "x\n").ending == .exit(2))
        #expect(try run("hash", input: "").ending == .exit(1))
    }

    @Test("a port in use is an error with the address, and exit status 1")
    func takenPort() throws {
        let upstream = try StubUpstream()
        defer { upstream.stop() }
        var settings = FixtureSettings(upstream: upstream.url)
        settings["listeners"] = #"[{"name": "public", "address": "127.0.0.1", "port": \#(upstream.port)}]"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let result = try run("serve", "--config", directory.path)
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains("127.0.0.1:\(upstream.port)"))
    }

    @Test("the sample upstream returns what it received, and counts")
    func echo() throws {
        let echo = try Program(GatewayProcess.binary, ["echo", "--listen", "127.0.0.1:0"])
        let address = echo.wait(.errors) { lines in
            lines.lazy.map { JSONText($0) }.first { $0["event"].string == "listening" }?["address"].string
        }
        let port = try #require(address?.split(separator: ":").last.flatMap { UInt16($0) })
        let connection = try RawConnection(port: port)
        let reply = JSONText(try connection.exchange("POST", "/a/b?c=d", ["X-A: 1", "X-A: 2"], body: "hello").text)
        #expect(reply["method"].string == "POST")
        #expect(reply["path"].string == "/a/b")
        #expect(reply["query"].string == "c=d")
        #expect(reply["bodyLength"].integer == 5)
        #expect(reply["requests"].integer == 1)
        #expect(reply["headers"].list.filter { $0[0].string == "X-A" }.map { $0[1].string } == ["1", "2"])
        #expect(try connection.exchange("GET", "/x?bytes=100000&status=203").body.count == 100_000)
        #expect(try connection.exchange("GET", "/x?status=203").status == 203)
        #expect(try connection.exchange("GET", "/_echo/count").text == "3\n")
        echo.signal(SIGTERM)
        #expect(echo.waitForEnd() == .exit(0))
    }
}
