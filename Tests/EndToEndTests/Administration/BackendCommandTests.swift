import Foundation
import Glibc
import Testing

/// `portcullis backend` (MBE-01, MBE-04).
@Suite struct BackendCommandTests {
    /// A directory whose backends stand in a file of their own.
    private func directory(_ backends: String? = FixtureSettings.backends, routes: String...) throws
        -> ConfigurationDirectory
    {
        let directory = try ConfigurationDirectory(["gateway.json": Self.settings(routes).text])
        if let backends { try directory.write("backends.json", backends) }
        return directory
    }

    private static func settings(_ routes: [String] = [#"{"path": "/plain", "upstream": "stub"}"#]) -> FixtureSettings {
        var settings = FixtureSettings(upstream: "http://127.0.0.1:9")
        settings["backends"] = nil
        settings["routes"] = FixtureSettings.list(routes)
        return settings
    }

    private func create(_ directory: ConfigurationDirectory, _ arguments: String...) throws -> JSONText {
        let result = try CommandLine.run(["backend", "create"] + arguments + ["--config", directory.path])
        #expect(result.ending == .exit(0), "\(result.errors)")
        return JSONText(result.output)
    }

    @Test("MBE-01: a backend created by name and version accepts both methods after a reload")
    func createdBackendWorks() throws {
        let fixture = try Fixture(files: ["backends.json": FixtureSettings.backends]) { $0["backends"] = nil }
        let made = try create(fixture.gateway.configuration, "orders", "1.0")
        #expect(made["name"].string == "orders" && made["version"].string == "1.0")
        #expect(made["oauthConsumer"].bool == true && made["httpBasic"].bool == true)
        let client = try "\(#require(made["clientId"].string)):\(#require(made["clientSecret"].string))"
        #expect(try fixture.grant("grant_type=client_credentials", client: client).status == 401)
        try fixture.reload {
            $0["backends"] = nil
            $0.addRoutes(
                #"{"path": "/orders/me", "upstream": "stub", "backends": ["orders/1.0"]}"#,
                #"{"path": "/orders/public", "upstream": "stub", "backends": ["orders/1.0"], "loginRequired": false}"#)
        }
        let id = Field(name: "Oracle-Mobile-Backend-ID", value: try #require(made["mobileBackendId"].string))
        let get = { (path: String, fields: [Field]) in try fixture.request("GET", path, fields).status }
        #expect(try get("/orders/me", [.bearer(fixture.token("joe", client: client))]) == 200)
        #expect(try get("/orders/public", [.bearer(fixture.clientToken(client))]) == 200)
        #expect(try get("/orders/me", [.basic("joe:Welcome1"), id]) == 200)
        let key = Field(name: "Authorization", value: "Basic \(try #require(made["anonymousKey"].string))")
        #expect(try get("/orders/public", [key, id]) == 200)
        #expect(try get("/orders/me", [key, id]) == 401)
        // The backends that were there still work.
        #expect(try get("/inventory/me", [.bearer(fixture.token("joe"))]) == 200)
    }

    @Test("MBE-01: ids and keys are unique with at least 128 random bits; the anonymous key is a Base64 pair")
    func unguessable() throws {
        let directory = try directory()
        let made = try (0..<8).map { try create(directory, "orders", "\($0).0") }
        for name in ["mobileBackendId", "anonymousKey", "clientId", "clientSecret"] {
            let values = made.compactMap { $0[name].string }
            #expect(Set(values).count == made.count, "\(name)")
            // 22 characters of 6 bits.
            #expect(values.allSatisfy { $0.count >= 22 && !$0.hasPrefix("-") }, "\(name)")
        }
        for backend in made {
            let pair = Data(base64Encoded: try #require(backend["anonymousKey"].string)).map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(try #require(pair).wholeMatch(of: /anon-orders:[\w-]{32}/) != nil)
        }
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
    }

    @Test("create keeps the realm and the file's text, owner and mode")
    func textIsKept() throws {
        let directory = try directory()
        let path = directory.path + "/backends.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountID: 1, .groupOwnerAccountID: 1], ofItemAtPath: path)
        }
        let before = try FileManager.default.attributesOfItem(atPath: path)
        #expect(try create(directory, "orders", "1.0", "--realm", "Partners")["realm"].string == "Partners")
        let after = try FileManager.default.attributesOfItem(atPath: path)
        for key in [FileAttributeKey.posixPermissions, .ownerAccountID, .groupOwnerAccountID] {
            #expect(after[key] as? NSNumber == before[key] as? NSNumber, "\(key)")
        }
        // No draft is left behind.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
                "backends.json", "gateway.json", "state",
            ])
    }

    private static let entry = #"{"name": "a", "version": "1", "mobileBackendId": "id-a"}"#
    private static let long = "{\n\t\t\"name\": \"a\",\n\t\t\"version\": \"1\",\n\t\t\"mobileBackendId\": \"id-a\"\n\t}"

    @Test(
        "create formats the new entry like the last one, and changes nothing else",
        arguments: [
            ("[]", "\n  {\n    «    »\n  }\n"),
            ("[\(entry)]\n", ", {«»}"),
            ("[\n  \(entry)\n]\n", ",\n  {«»}"),
            ("[\n\t\(long)\n]", ",\n\t{\n\t\t«\t\t»\n\t}"),
            ("[\n\t\(long)]", ",\n\t{\n\t\t«\t\t»\n\t}"),
            ("[\(long)]", ", {«»}"),
            ("[\r\n  \(entry)\r\n]\r\n", ",\r\n  {«»}"),
        ])
    func form(_ before: String, _ form: String) throws {
        let directory = try directory(before)
        let made = try create(directory, "b", "1.0")
        let names = ["name", "version", "mobileBackendId", "anonymousKey", "clientId", "clientSecret", "realm"]
        let members = try names.map { "\"\($0)\": \"\(try #require(made[$0].string))\"" }
        let indent = form.contains("«»") ? nil : form.split(separator: "«")[1].prefix { $0 != "»" }
        let inserted = form.replacing(/«.*»/, with: members.joined(separator: indent.map { ",\n" + $0 } ?? ", "))
        let end = try #require(before.unicodeScalars.lastIndex { $0 == "]" })
        let head = before[..<end].trimmingSuffix { $0.isWhitespace }
        #expect(try directory.read("backends.json") == head + inserted + before[head.endIndex...])
        #expect(try CommandLine.run("check", directory.path).ending == .exit(0))
    }

    @Test("create makes a missing section's file readable by its owner only")
    func firstBackend() throws {
        let directory = try directory(nil)
        _ = try create(directory, "orders", "1.0")
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/backends.json")
        #expect(try #require((attributes[.posixPermissions] as? NSNumber)?.intValue) & 0o007 == 0)
        #expect(try CommandLine.run("backend", "show", "orders", "--config", directory.path).ending == .exit(0))
    }

    @Test("create keeps a symbolic link")
    func symbolicLink() throws {
        let elsewhere = try ConfigurationDirectory(["backends.json": "[]"])
        let directory = try directory(nil)
        let link = directory.path + "/backends.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere.path + "/backends.json")
        _ = try create(directory, "orders", "1.0")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == elsewhere.path + "/backends.json")
        #expect(try elsewhere.read("backends.json").contains("orders"))
    }

    @Test("two concurrent create commands both take effect")
    func atOnce() throws {
        let directory = try directory()
        let programs = try (0..<4).map {
            try Program(GatewayProcess.binary, ["backend", "create", "orders", "\($0)", "--config", directory.path])
        }
        for program in programs { #expect(program.waitForEnd() == .exit(0)) }
        #expect(JSONText(try directory.read("backends.json")).list.filter { $0["name"].string == "orders" }.count == 4)
    }

    @Test(
        "create refuses an invalid backend, and writes nothing",
        arguments: [
            (["inventory", "1.0"], "there is a backend inventory/1.0 already"),
            (["a/b", "1.0"], "error: /backends/2/name: "),
            (["orders", ""], "error: /backends/2/version: "),
            (["orders", "1.0", "--realm", ""], "error: /backends/2/realm: "),
        ])
    func refuses(_ arguments: [String], _ message: String) throws {
        let directory = try directory()
        let result = try CommandLine.run(["backend", "create"] + arguments + ["--config", directory.path])
        #expect(result.ending == .exit(1))
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.contains("nothing was written"))
        #expect(result.output.isEmpty)
        #expect(try directory.read("backends.json") == FixtureSettings.backends)
    }

    @Test("create keeps a section inside gateway.json; an already invalid configuration is not changed")
    func places() throws {
        var settings = Self.settings()
        settings["backends"] = "[]"
        let inline = try ConfigurationDirectory(["gateway.json": settings.text])
        _ = try create(inline, "orders", "1.0")
        #expect(!FileManager.default.fileExists(atPath: inline.path + "/backends.json"))
        #expect(JSONText(try inline.read("gateway.json"))["backends"][0]["name"].string == "orders")
        for backends in ["[", "{}", "[{}]"] {
            let broken = try directory(backends)
            let result = try CommandLine.run("backend", "create", "a", "1", "--config", broken.path)
            #expect(result.ending == .exit(1))
            #expect(result.errors.contains("the configuration has errors"))
            #expect(try broken.read("backends.json") == backends)
        }
        #expect(try CommandLine.run("backend", "create", "a", "1", "--config", "/nonexistent").ending == .exit(1))
        #expect(!FileManager.default.fileExists(atPath: "/nonexistent"), "no directory is made for the audit log")
    }

    @Test("MBE-04: show prints ids, keys and endpoints, the secret on request, no SSO endpoint without SSO")
    func show() throws {
        let directory = try directory()
        let show = { (arguments: [String]) in
            try CommandLine.run(["backend", "show"] + arguments + ["--config", directory.path])
        }
        let result = try show(["scheduler"])
        #expect(result.ending == .exit(0))
        let shown = JSONText(result.output)
        #expect(shown["mobileBackendId"].string == "mbe-sch-1")
        #expect(shown["clientId"].string == "sch-client")
        #expect(shown["baseUrl"].string == "http://gw.example.com")
        #expect(shown["oauthTokenEndpoint"].string == "http://gw.example.com/oauth2/token")
        #expect(!shown["ssoTokenEndpoint"].exists)
        #expect(!result.output.contains("sch-secret"))
        #expect(JSONText(try show(["scheduler", "1.0", "--secrets"]).output)["clientSecret"].string == "sch-secret")
        #expect(try show(["scheduler", "2.0"]).errors.contains("no backend scheduler/2.0"))
        #expect(try show(["nobody"]).ending == .exit(1))
        _ = try create(directory, "scheduler", "2.0")
        let several = try show(["scheduler"])
        #expect(several.ending == .exit(1))
        #expect(several.errors.contains("1.0, 2.0"))
        #expect(JSONText(try show(["scheduler", "2.0"]).output)["version"].string == "2.0")
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/state/signing.pem"))
    }

    @Test("MBE-04: show prints no token endpoint without OAuth Consumer")
    func showWithoutOAuth() throws {
        let directory = try directory(
            #"[{"name": "a", "version": "1", "mobileBackendId": "id", "oauthConsumer": false}]"#)
        let shown = JSONText(try CommandLine.run("backend", "show", "a", "--config", directory.path).output)
        #expect(shown["oauthConsumer"].bool == false)
        #expect(!shown["oauthTokenEndpoint"].exists && !shown["ssoTokenEndpoint"].exists)
    }
}

extension Substring {
    /// The text without the characters at its end that fulfil the condition.
    fileprivate func trimmingSuffix(_ condition: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, condition(last) { rest.removeLast() }
        return rest
    }
}
