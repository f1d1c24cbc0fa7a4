import Foundation
import Testing

/// Every command's help, exit status and what it prints (0 success, 1 failure or invalid, 2 usage error).
@Suite struct CommandLineTests {
    // MARK: Help and usage

    @Test(
        "--help lists the options of each command",
        arguments: [
            ("serve", ["--config", "SIGHUP", "SIGTERM", "SIGUSR1"]),
            ("check", ["--production"]),
            ("backend", ["create", "show", "revoke", "rotate-secret", "--config", "--admin", "--realm", "--secrets"]),
            ("users", ["add", "set-password", "import", "assign-role", "--config", "--admin", "--scheme"]),
            ("realms", ["add", "list", "remove", "--config", "--admin"]),
            ("policy", ["get", "set", "unset", "Security_AllowOrigin", "--config", "--admin"]),
            ("certificate", ["add", "list", "remove", "--config", "--admin"]),
            ("tokens", ["list", "revoke", "clean", "--subject", "--client", "--admin"]),
            ("route", ["set", "show", "list", "--config", "--admin", "loginRequired=false"]),
            (
                "key",
                ["generate", "public", "sign", "verify", "wrap", "unwrap", "delete", "--type", "--signature", "--in"]
            ),
            ("hash", ["--scheme", "--salt-bits", "--aes-key", "scrypt", "SaltedSHA-512", "PlainText"]),
            ("token", ["--config", "--client", "--user", "--roles", "--level", "--lifetime"]),
            ("cred", ["add", "get", "update", "delete", "--config", "--user", "cred:KEY"]),
            (
                "client",
                ["login", "logout", "request", "exchange", "configure", "--no-auth", "--json", "--home", "--profile"]
            ),
            ("echo", ["--listen", "--threads", "delay", "status", "bytes", "/_echo/count"]),
            ("version", []),
        ])
    func help(_ command: String, _ mentioned: [String]) throws {
        for arguments in [[command, "--help"], [command, "-h"], ["help", command]] {
            let result = try CommandLine.run(arguments)
            #expect(result.ending == .exit(0))
            #expect(result.output.hasPrefix("usage: portcullis \(command)"))
            #expect(result.errors.isEmpty)
            for word in mentioned { #expect(result.output.contains(word), "\(word)") }
        }
    }

    @Test("the program's help lists every command, on standard output on request, otherwise on standard error")
    func list() throws {
        let asked = try CommandLine.run("--help")
        #expect(asked.ending == .exit(0))
        for command in [
            "serve", "check", "backend", "users", "realms", "policy", "certificate", "route", "tokens", "hash", "key",
            "token",
            "cred", "client", "echo", "version",
        ] {
            #expect(asked.output.contains("\n  \(command) "), "\(command)")
        }
        #expect(try CommandLine.run("help").output == asked.output)
        let unknown = try CommandLine.run("help", "serv")
        #expect(unknown.ending == .exit(2) && unknown.errors.contains("did you mean serve?"))
        let lost = try CommandLine.run([])
        #expect(lost.ending == .exit(2))
        #expect(lost.output.isEmpty)
        #expect(lost.errors == asked.output)
    }

    @Test("help takes precedence over errors, and has no effects")
    func helpWins() throws {
        let result = try CommandLine.run("backend", "create", "a", "b", "--config", "/nonexistent", "--help")
        #expect(result.ending == .exit(0))
        #expect(result.output.hasPrefix("usage: portcullis backend create"))
    }

    @Test(
        "a usage error is exit status 2 with a message on standard error",
        arguments: [
            ["frobnicate"], ["--frobnicate"], ["Serve"],
            ["serve"], ["serve", "--config"], ["serve", "--config", "a", "--config", "b"],
            ["serve", "--config", "a", "--frob"], ["serve", "--config", "a", "b"],
            ["serve", "--config", ""], ["check", "--config", ""], ["check", "--config", "a", "b"],
            ["check"], ["check", "a", "b"], ["check", "a", "--productive"],
            ["hash", "--scheme", "MD5"], ["hash", "--salt-bits", "many"], ["hash", "--aes-key", "!"],
            ["hash", "secret"],
            ["token"], ["token", "--config", "a"], ["token", "--client", "a/1"],
            ["token", "--config", "a", "--client", "a/1", "--lifetime", "soon"],
            ["token", "--config", "a", "--client", "a/1", "--level", "high"],
            ["echo", "--threads", "0"], ["echo", "--threads", "65"], ["echo", "--listen", "nowhere"],
            ["echo", "--listen", "127.0.0.1:65536"], ["echo", "x"],
            ["version", "x"],
            ["backend"], ["backend", "frob"], ["backend", "create", "a", "--config", "b"],
            ["backend", "create", "a", "1"], ["backend", "create", "a", "1", "2", "--config", "b"],
            ["backend", "show", "--config", "b"], ["backend", "show", "a"], ["backend", "show", "a", "--realm", "b"],
            ["backend", "list"], ["backend", "list", "--config", "a", "--admin", "http://127.0.0.1:1"],
            ["backend", "list", "--config", "a", "--admin-token-file", "b"],
            ["backend", "enable", "a", "1", "all", "--config", "b"],
            ["users"], ["users", "add", "--config", "a"], ["users", "list", "x", "--config", "a"],
            ["users", "add", "a", "--password", "b", "--config", "c"], ["users", "assign-role", "a", "--config", "b"],
            ["policy", "set", "a", "--config", "b"], ["certificate", "add", "a", "--config", "b"],
            ["route", "set", "a", "--config", "b"], ["route", "set", "a", "level", "--config", "b"],
            ["realms", "add", "--config", "a"], ["tokens", "revoke", "a", "b", "--config", "a"], ["tokens", "list"],
            ["cred"], ["cred", "add", "--config", "a"], ["cred", "add", "k"], ["cred", "frob", "k", "--config", "a"],
        ])
    func usage(_ arguments: [String]) throws {
        let result = try CommandLine.run(arguments)
        #expect(result.ending == .exit(2))
        #expect(!result.errors.isEmpty)
        #expect(result.output.isEmpty)
    }

    @Test(
        "a usage error names the problem",
        arguments: [
            (["serve"], "serve --config DIR"), (["check", "a", "b"], "check --config DIR"),
            (["serve", "--config", ""], "--config is empty"), (["hash", "--scheme", "MD5"], "unknown scheme MD5"),
            (["hash", "secret"], "standard input"), (["hash", "--salt-bits", "many"], "--salt-bits"),
        ])
    func complaint(_ arguments: [String], _ word: String) throws {
        let errors = try CommandLine.run(arguments).errors
        #expect(errors.hasPrefix("portcullis: ") && errors.contains(word), "\(errors)")
        #expect(!errors.contains("\n\n"))
    }

    @Test(
        "a missing argument is reported first, then the usage of that action only",
        arguments: [
            (["users", "list"], "portcullis: either --config DIR or --admin URL is required", []),
            (
                ["users", "add", "--config", "a"], "portcullis: users add: expected 1 name, found 0",
                ["portcullis users add NAME ", "[--roles A,B]"]
            ),
            (
                ["users", "list", "x", "--config", "a"], "portcullis: users list: expected 0 names, found 1",
                ["usage: portcullis users list "]
            ),
            (
                ["backend", "disable", "a", "--config", "a"], "portcullis: backend disable: expected 3 names, found 1",
                ["portcullis backend enable|disable NAME VERSION oauth|basic|sso"]
            ),
            (
                ["users", "assign-role", "a", "--config", "a"],
                "portcullis: users assign-role: expected 2 to 65 names, found 1",
                ["portcullis users assign-role|remove-role NAME ROLE..."]
            ),
        ])
    func missing(_ arguments: [String], _ word: String, _ forms: [String]) throws {
        let lines = try CommandLine.run(arguments).errors.split(separator: "\n")
        #expect(lines.first?.hasPrefix(word) == true, "\(lines)")
        #expect(lines.count <= 4)
        for form in forms { #expect(lines.dropFirst().contains { $0.contains(form) }, "\(form): \(lines)") }
    }

    @Test("version prints the program, its traits, libraries and engine")
    func version() throws {
        let result = try CommandLine.run("version")
        #expect(result.ending == .exit(0))
        let lines = result.output.split(separator: "\n")
        #expect(lines.count >= 5)
        #expect(lines[0].wholeMatch(of: /portcullis \d+\.\d+\.\d+/) != nil)
        #expect(lines[1].wholeMatch(of: /traits [\w, ]+/) != nil)
        #expect(lines[2].hasPrefix("OpenSSL 3."))
        #expect(lines[3].wholeMatch(of: /nghttp2 \d+\.\d+\.\d+/) != nil)
        #expect(lines.last?.wholeMatch(of: /engine (io_uring|epoll .*)/) != nil)
        #expect(try CommandLine.run("--version").output == result.output)
    }

    // MARK: check

    @Test("check accepts a valid configuration without touching the disk")
    func checkValid() throws {
        // DEC-10: what is kept in memory ends with the process.
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["store"] = #"{"kind": "memory"}"#
        let directory = try ConfigurationDirectory(["gateway.json": settings.text])
        let before = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        let result = try CommandLine.run("check", directory.path)
        #expect(result.ending == .exit(0))
        #expect(result.output.hasSuffix(": 0 errors, 2 warnings"))
        #expect(result.errors.contains("warning: /store/kind: ") && result.errors.contains("warning: /routes/0/path: "))
        #expect(try CommandLine.run("check", "--config", directory.path).output == result.output)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: directory.path) == before)
    }

    @Test("check accepts the sample configuration")
    func checkSample() throws {
        let sample = try SampleConfiguration.copy()
        #expect(try CommandLine.run("check", sample.path).ending == .exit(0))
        // Without its certificate, the cure stands beside the one mistake.
        try sample.remove("tls")
        for command in [["check", sample.path], ["serve", "--config", sample.path]] {
            let result = try CommandLine.run(command)
            #expect(result.ending == .exit(1))
            let printed = command[0] == "serve" ? GatewayProcess.findings(in: result.errors) : result.errors
            let errors = printed.split(separator: "\n").filter { $0.contains(" error: ") }
            #expect(errors.count == 1)
            #expect(errors.first?.contains("/listeners/1/tls/certificates/0/certFile: ") == true, "\(errors)")
            #expect(errors.first?.contains("`mkdir -p \(sample.path)/tls && openssl req ") == true, "\(errors)")
        }
    }

    @Test("GW-04: check reports file, line and pointer of each error on one line")
    func checkInvalid() throws {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["routes"] = nil
        settings["webgates"] = #"[{"name": "InventoryWG", "level": 2, "injektion": {}}]"#
        let directory = try ConfigurationDirectory([
            "gateway.json": settings.text,
            "routes.json":
                "[\n  {\"path\": \"/a\", \"upstream\": \"stub\"},\n  {\"path\": \"/b\",\n   \"upstream\": \"stubb\"}\n]\n",
        ])
        let result = try CommandLine.run("check", directory.path)
        #expect(result.ending == .exit(1))
        let lines = result.errors.split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("routes.json:4: error: /routes/1/upstream: ") && $0.contains("\"stub\"?") })
        let misspelt = try Regex(#"gateway\.json:\d+: error: /webgates/0/injektion: .*"injection"\?\)"#)
        #expect(lines.contains { $0.wholeMatch(of: misspelt) != nil }, "\(result.errors)")
        #expect(lines.allSatisfy { $0.prefixMatch(of: #/[\w.]+\.json:\d+: (error|warning): /#) != nil })
        #expect(result.output.hasSuffix("2 errors, 0 warnings"))
    }

    @Test("check refuses a missing directory and invalid JSON")
    func checkMissing() throws {
        let missing = try CommandLine.run("check", "/nonexistent/directory")
        #expect(missing.ending == .exit(1))
        #expect(missing.errors.contains("cannot be read"))
        let directory = try ConfigurationDirectory(["gateway.json": "{\n\"a\": tru\n}"])
        let malformed = try CommandLine.run("check", directory.path)
        #expect(malformed.ending == .exit(1))
        #expect(malformed.errors.contains("gateway.json:2: error: "))
    }

    @Test("check --production warns of settings for development only")
    func checkProduction() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        let usual = try CommandLine.run("check", directory.path)
        let strict = try CommandLine.run("check", directory.path, "--production")
        #expect(strict.ending == .exit(0))
        for warning in ["/users/0/password: the password scheme", "/backends/0/clientSecret: the secret is written in"]
        {
            #expect(strict.errors.contains(warning), "\(warning)")
            #expect(!usual.errors.contains(warning), "\(warning)")
        }
        #expect(!strict.errors.contains("inv-secret") && !strict.errors.contains("Welcome1"))
    }

    // MARK: hash

    static let schemes = [
        "PlainText", "AES", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SaltedSHA-1", "SaltedSHA-224",
        "SaltedSHA-256", "SaltedSHA-384", "SaltedSHA-512", "scrypt", "PBKDF2-SHA512",
    ]

    @Test("CRYPTO-01 DEC-08: a hash of each scheme logs its user in")
    func hash() throws {
        let key = JSONWebToken.base64("0123456789abcdef0123456789abcdef")
        var users: [String] = []
        for (number, scheme) in Self.schemes.enumerated() {
            let arguments = ["hash", "--scheme", scheme] + (scheme == "AES" ? ["--aes-key", key] : [])
            let made = try (0..<2).map { _ in
                try Program.run(GatewayProcess.binary, arguments, input: "open sesame\n")
            }
            #expect(made.allSatisfy { $0.ending == .exit(0) && $0.output.hasPrefix("{\(scheme)}") }, "\(scheme)")
            // Two users with one password do not look alike, where the scheme has a salt or an initial vector.
            let isPlain = scheme == "PlainText" || scheme.hasPrefix("SHA-")
            #expect((made[0].output == made[1].output) == isPlain, "\(scheme)")
            users.append(#"{"username": "user\#(number)", "password": "\#(made[0].output)", "roles": []}"#)
        }
        let fixture = try Fixture { settings in
            settings["users"] = FixtureSettings.list(users)
            settings["passwords"] = #"{"aesKey": "\#(key)"}"#
        }
        for (number, scheme) in Self.schemes.enumerated() {
            let form = "grant_type=password&username=user\(number)&password="
            #expect(try fixture.grant(form + "open+sesame").status == 200, "\(scheme)")
            #expect(try fixture.grant(form + "open+sesamE").status == 400, "\(scheme)")
        }
    }

    @Test("DEC-08: scrypt is the default; --salt-bits sets the length of the salt")
    func hashDefaults() throws {
        let usual = try CommandLine.run("hash", input: "secret\n")
        #expect(usual.output.hasPrefix("{scrypt}ln=15,r=8,p=1$"))
        #expect(!usual.output.contains("secret"))
        for bits in [8, 64, 256] {
            let salted = try CommandLine.run(
                "hash", "--scheme", "SaltedSHA-256", "--salt-bits=\(bits)", input: "secret\n")
            let payload = Data(base64Encoded: String(salted.output.dropFirst("{SaltedSHA-256}".count)))
            #expect(payload?.count == 32 + bits / 8)
        }
    }

    @Test(
        "hash reports invalid input with status 1",
        arguments: [
            (["--scheme", "SaltedSHA-256", "--salt-bits", "12"], "secret\n", "multiple of 8"),
            (["--scheme", "SaltedSHA-256", "--salt-bits", "0"], "secret\n", "multiple of 8"),
            (["--scheme", "SaltedSHA-256", "--salt-bits", "-8"], "secret\n", "multiple of 8"),
            (["--salt-bits", "32"], "secret\n", "from 64"),
            (["--scheme", "AES"], "secret\n", "--aes-key"),
            (["--scheme", "AES", "--aes-key", "AAAA"], "secret\n", "--aes-key"),
            ([], "", "no password"),
            ([], "\n", "no password"),
            ([], String(repeating: "x", count: 1025), "1024 bytes"),
        ])
    func hashRefuses(_ arguments: [String], _ input: String, _ message: String) throws {
        let result = try Program.run(GatewayProcess.binary, ["hash"] + arguments, input: input)
        #expect(result.ending == .exit(1))
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    // MARK: token

    @Test("token prints a token with the requested claims that the running gateway accepts")
    func token() throws {
        let fixture = try Fixture()
        let claims = JSONWebToken(try fixture.mint("ann", "--level", "3", "--lifetime", "90")).claims
        #expect(claims["sub"].string == "ann")
        #expect(claims["iss"].string == "http://gw.example.com")
        #expect(claims["backend_id"].string == "mbe-inv-1")
        #expect(claims["roles"].strings == ["Clerk"])
        #expect(claims["level"].integer == 3)
        #expect(try #require(claims["exp"].integer) - #require(claims["iat"].integer) == 90)
        let ann = try fixture.mint("ann")
        #expect(try fixture.request("GET", "/inventory/items", [.bearer(ann)]).status == 200)
        #expect(try fixture.request("POST", "/inventory/items", [.bearer(ann)], body: "").status == 403)
        let promoted = try fixture.mint("ann", "--roles", "Auditor,Manager")
        #expect(JSONWebToken(promoted).claims["roles"].strings == ["Auditor", "Manager"])
        #expect(try fixture.request("POST", "/inventory/items", [.bearer(promoted)], body: "").status == 200)
        #expect(
            try fixture.request("GET", "/inventory/items", [.bearer(fixture.mint("ann", "--lifetime", "-1"))]).status
                == 401)
        let low = try fixture.request("GET", "/inventory/items", [.bearer(fixture.mint("ann", "--level", "1"))])
        #expect(low.status == 401)
        // Without a user it is the backend's own token, which opens what needs no login.
        let client = try CommandLine.run(
            "token", "--config", fixture.gateway.configuration.path, "--client", "inventory/1.0")
        #expect(JSONWebToken(client.output).claims["sub"].string == "inv-client")
        #expect(try fixture.request("GET", "/inventory/public", [.bearer(client.output)]).status == 200)
        #expect(try fixture.request("GET", "/inventory/me", [.bearer(client.output)]).status == 401)
    }

    @Test("token reports an unknown backend and an invalid configuration with status 1")
    func tokenFails() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": FixtureSettings(upstream: "http://127.0.0.1:9").text
        ])
        for backend in ["inventory", "inventory/2.0", "/"] {
            let result = try CommandLine.run("token", "--config", directory.path, "--client", backend)
            #expect(result.ending == .exit(1))
            #expect(result.errors.contains("no client \(backend)"))
        }
        try directory.write("state/signing.pem", "no key\n")
        let broken = try CommandLine.run("token", "--config", directory.path, "--client", "inventory/1.0")
        #expect(broken.ending == .exit(1))
        #expect(broken.errors.contains("error: /tokenService"), "\(broken.errors)")
        #expect(broken.output.isEmpty)
    }
}
