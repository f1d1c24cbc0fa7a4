import Foundation
import Glibc
import Testing

/// `portcullis check`: what a start would find, and how strict it is.
@Suite struct CheckCommandTests {
    private func directory(_ change: (inout FixtureSettings) -> Void) throws -> ConfigurationDirectory {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        change(&settings)
        return try ConfigurationDirectory(["gateway.json": settings.text])
    }

    @Test(
        "check and serve report an unwritable log with path and reason",
        arguments: [
            ("/nonexistent/logs/a.log", "/nonexistent: No such file or directory", "No such file or directory"),
            ("plain/a.log", "DIR/plain: Not a directory", "Not a directory"),
            (".", "DIR/.: Is a directory", "Is a directory"),
        ])
    func log(_ path: String, _ obstacle: String, _ reason: String) throws {
        let directory = try directory { $0["log"] = #"{"access": "file:\#(path)"}"# }
        try directory.write("plain", "")
        let wanted = path.hasPrefix("/") ? path : directory.path + "/" + path
        let checked = try CommandLine.run("check", directory.path)
        #expect(checked.ending == .exit(1))
        #expect(
            checked.errors.contains(
                "error: /log/access: the access log \(wanted) cannot be written: "
                    + obstacle.replacing("DIR", with: directory.path)), "\(checked.errors)")
        let served = try CommandLine.run("serve", "--config", directory.path)
        #expect(served.ending == .exit(1))
        #expect(
            served.errors.contains("the access log \(wanted) cannot be opened: \(reason)"),
            "\(served.errors)")
    }

    @Test("check does not create a writable log")
    func goodLog() throws {
        let directory = try directory { $0["log"] = #"{"access": "file:a.log"}"# }
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/a.log"))
    }

    @Test("a state directory that cannot be created is reported once")
    func state() throws {
        let directory = try directory { $0["store"] = #"{"kind": "redis", "url": "redis://127.0.0.1:9"}"# }
        try directory.write("state", "a file")
        let checked = try CommandLine.run("check", directory.path)
        #expect(checked.ending == .exit(1))
        let lines = checked.errors.split(separator: "\n").filter { $0.contains("cannot be written") }
        #expect(lines.count == 1 && lines[0].contains("\(directory.path)/state: Not a directory"), "\(checked.errors)")
        // A user who may not write, for root may everywhere.
        try directory.remove("state")
        try FileManager.default.createDirectory(atPath: directory.path + "/state", withIntermediateDirectories: true)
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
        guard getuid() == 0 else {
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path + "/state")
            let result = try CommandLine.run("check", directory.path)
            #expect(result.errors.contains("\(directory.path)/state: Permission denied"), "\(result)")
            return
        }
    }

    @Test("a pattern that no canonical path matches is an error")
    func pattern() throws {
        let directory = try directory {
            $0["routes"] = FixtureSettings.list([#"{"path": "/%FF", "upstream": "stub", "public": true}"#])
        }
        let checked = try CommandLine.run("check", directory.path)
        #expect(checked.ending == .exit(1))
        #expect(
            checked.errors.contains(#"error: /routes/0/path: "/%FF": a pattern must be in canonical form"#),
            "\(checked.errors)")
    }

    /// Its certificates and keys are damaged, which only `check` notices.
    @Test("messages about damaged files describe the damage")
    func damagedFiles() throws {
        let complete = Vectors.root.appending(path: "Tests/Fixtures/configuration/complete").path
        let checked = try CommandLine.run("check", complete, environment: ["ADMIN_TOKEN": "of-the-test"])
        #expect(checked.ending == .exit(1))
        #expect(
            checked.errors.contains("cert.pem: certificates of the authorities: block 1 of the certificate file is"),
            "\(checked.errors)")
        // Swift's description of an enumeration names its module.
        #expect(!checked.errors.contains(/[A-Z][A-Za-z]+\.[a-z][A-Za-z]+\(/), "\(checked.errors)")
    }

    @Test("--strict fails on warnings; a directory without routes has one")
    func strict() throws {
        let directory = try directory {
            $0["routes"] = "[]"
            $0["backends"] = "[]"
            $0["store"] = #"{"kind": "redis", "url": "redis://127.0.0.1:9"}"#
        }
        let result = try CommandLine.run("check", directory.path)
        #expect(result.ending == .exit(0))
        #expect(result.errors.contains("warning: /routes: there is no route"), "\(result.errors)")
        #expect(try CommandLine.run("check", directory.path, "--strict").ending == .exit(1))
        let sample = try SampleConfiguration.copy()
        #expect(try CommandLine.run("check", sample.path, "--strict").ending == .exit(0))
    }

    @Test("an expired certificate is a warning, and an error with --production")
    func expired() throws {
        let directory = try directory { _ in }
        try directory.write("index.txt", "")
        try directory.write(
            "ca.cnf",
            """
            [ca]
            default_ca=d
            [d]
            database=index.txt
            new_certs_dir=.
            rand_serial=yes
            default_md=sha256
            policy=p
            [p]
            commonName=supplied
            """)
        for words in [
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old -keyout old.key -out old.csr",
            "ca -selfsign -batch -notext -config ca.cnf -in old.csr -keyfile old.key -out old.pem"
                + " -startdate 20200101000000Z -enddate 20200102000000Z",
        ] {
            let made = try Program.run(
                "/usr/bin/openssl", words.split(separator: " ").map(String.init), directory: directory.path)
            try #require(made.ending == .exit(0), "\(made.errors)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.path + "/old.key")
        try directory.write("certificates.json", #"[{"alias": "old", "pemFile": "old.pem"}]"#)
        let usual = try CommandLine.run("check", directory.path)
        #expect(usual.ending == .exit(0))
        #expect(usual.errors.contains("warning: /certificates/0: the certificate has expired"), "\(usual.errors)")
        let production = try CommandLine.run("check", directory.path, "--production")
        #expect(production.ending == .exit(1))
        #expect(production.errors.contains("error: /certificates/0: the certificate has expired"))
        try directory.remove("certificates.json")
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["listeners"] = #"""
            [{"name": "public", "address": "127.0.0.1", "port": 0,
              "tls": {"certificates": [{"certFile": "old.pem", "keyFile": "old.key"}]}}]
            """#
        try directory.write("gateway.json", settings.text)
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
        let listener = try CommandLine.run("check", directory.path, "--production")
        #expect(listener.ending == .exit(1))
        #expect(listener.errors.contains("has expired"), "\(listener.errors)")
        let tried = try CommandLine.run("check", directory.path, "--connect")
        #expect(tried.ending == .exit(1))
        #expect(
            tried.output.contains(
                "FAILED certificate /listeners/0/tls/certificates/0/certFile: old, certificate ended 2020-01-02"),
            "\(tried.output)")
        settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["trustedIssuers"] = """
            [{"name": "as", "issuer": "https://as", "audience": ["a"],
              "introspection": {"url": "https://as/i", "clientId": "c", "clientAuthentication": "tls_client_auth",
                                "tls": {"certFile": "old.pem", "keyFile": "old.key"}}}]
            """
        try directory.write("gateway.json", settings.text)
        let client = try CommandLine.run("check", directory.path, "--production")
        #expect(client.ending == .exit(1))
        #expect(
            client.errors.contains(
                "error: /trustedIssuers/0/introspection/tls/certFile: the certificate for old has expired"),
            "\(client.errors)")
        // Its key counts, as that of a key set does.
        settings["trustedIssuers"] =
            #"[{"name": "as", "issuer": "https://as", "audience": ["a"], "jwksFile": "old.pem"}]"#
        try directory.write("gateway.json", settings.text)
        let keys = try CommandLine.run("check", directory.path)
        #expect(keys.ending == .exit(0))
        let warning = "warning: /trustedIssuers/0/jwksFile: \(directory.path)/old.pem: the certificate of CN=old"
        #expect(keys.errors.contains("\(warning) has expired on 2020-01-02T00:00:00Z"), "\(keys.errors)")
    }

    @Test("hosts that no certificate names are a warning with --production, unless proxies stand in front")
    func certificateNames() throws {
        let directory = try ConfigurationDirectory()
        try SecureFixture.makeCertificate("gw", "DNS:*.example.com,DNS:a.example.org,IP:203.0.113.5", in: directory)
        func warnings(_ origins: [String], trusts: String = "", _ options: String...) throws -> [Substring] {
            var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
            settings["baseUrl"] = "\"\(origins[0])\""
            settings["additionalBaseUrls"] = FixtureSettings.list(origins.dropFirst().map { "\"\($0)\"" })
            settings["trustedProxies"] = "[\(trusts)]"
            settings["listeners"] = #"""
                [{"name": "public", "address": "127.0.0.1", "port": 0,
                  "tls": {"certificates": [{"certFile": "gw/cert.pem", "keyFile": "gw/key.pem"}]}}]
                """#
            try directory.write("gateway.json", settings.text)
            return try CommandLine.run(["check", directory.path] + options).errors.split(separator: "\n")
                .filter { $0.contains("certificates of the listeners") }
        }
        let covered = [
            "https://gw.example.com", "https://A.example.org:8443", "https://203.0.113.5", "http://x.example",
        ]
        #expect(try warnings(covered, "--production") == [])
        let others = [
            "https://a.b.example.com", "https://gw.example.com", "https://example.com", "https://203.0.113.6",
        ]
        let found = try warnings(others, "--production")
        #expect(found.count == 3, "\(found)")
        #expect(
            found.first?.hasSuffix(
                "warning: /baseUrl: the certificates of the listeners are for *.example.com, a.example.org "
                    + #"(expected one for "a.b.example.com")"#) == true, "\(found)")
        #expect(found.dropFirst().map { $0.contains("/additionalBaseUrls/") } == [true, true])
        #expect(try warnings(others) == [] && warnings(others, trusts: #""10.0.0.1""#, "--production") == [])
    }

    @Test("a short admin token is a warning with --production", arguments: [(42, true), (43, false)])
    func adminToken(_ length: Int, _ isShort: Bool) throws {
        let directory = try directory { settings in
            settings["admin"] = #"{"address": "127.0.0.1", "port": 0, "adminToken": "file:token"}"#
        }
        try directory.write("token", String(repeating: "x", count: length))
        let production = try CommandLine.run("check", directory.path, "--production")
        #expect(production.errors.contains("warning: /admin/adminToken: the token is short") == isShort)
        #expect(try !CommandLine.run("check", directory.path).errors.contains("adminToken"))
    }

    @Test("serve DIR equals serve --config DIR; both together are refused")
    func serve() throws {
        let directory = try directory { _ in }
        let program = try Program(GatewayProcess.binary, ["serve", directory.path])
        let ready = program.wait(.errors) { lines in
            lines.contains { JSONText($0)["event"].string == "ready" } ? true : nil
        }
        #expect(ready == true)
        program.signal(SIGTERM)
        #expect(program.waitForEnd() == .exit(0))
        #expect(try CommandLine.run("serve", directory.path, "--config", directory.path).ending == .exit(2))
    }

    @Test("files with comments are checked, and commands keep the comments")
    func comments() throws {
        let directory = try ConfigurationDirectory([
            "gateway.jsonc": #"""
            // the gateway
            {"baseUrl": "http://gw.example.com", /* here */
             "listeners": [{"name": "local", "address": "127.0.0.1", "port": 8080},],
             "upstreams": {"api": {"url": "http://127.0.0.1:9000"}}}
            """#,
            "routes.json": #"{"$schema": "x.json", "routes": [{"path": "/a/**", "upstream": "api"}]}"#,
            "roles.jsonc": "[\n  \"Manager\", // runs it\n]\n",
        ])
        let checked = try CommandLine.run("check", directory.path, "--strict")
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        let added = try CommandLine.run("roles", "add", "Clerk", "--config", directory.path)
        #expect(added.ending == .exit(0), "\(added.errors)")
        #expect(try directory.read("roles.jsonc") == "[\n  \"Manager\",\n  \"Clerk\", // runs it\n]\n")
        let set = try CommandLine.run("route", "set", "/a/**", #"roles=["Clerk"]"#, "--config", directory.path)
        #expect(set.ending == .exit(0), "\(set.errors)")
        #expect(
            try directory.read("routes.json")
                == #"{"$schema": "x.json", "routes": [{"path": "/a/**", "upstream": "api", "roles": ["Clerk"]}]}"#
        )
        let made = try CommandLine.run("realms", "add", "Staff", "--config", directory.path)
        #expect(made.ending == .exit(0), "\(made.errors)")
    }
}
