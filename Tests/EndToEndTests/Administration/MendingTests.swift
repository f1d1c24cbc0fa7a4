import Foundation
import Testing

/// Changes of a configuration that is not valid as it is, and changes that `check` would not accept.
@Suite struct MendingTests {
    private func directory(_ files: [String: String]) throws -> ConfigurationDirectory {
        let gateway = #"""
            {"baseUrl": "http://gw.example.com",
             "listeners": [{"name": "local", "address": "127.0.0.1", "port": 8080}],
             "upstreams": {"api": {"url": "http://127.0.0.1:9000"}}}
            """#
        return try ConfigurationDirectory(files.merging(["gateway.json": gateway]) { first, _ in first })
    }

    private func run(
        _ directory: ConfigurationDirectory, _ words: String..., input: String? = nil
    ) throws -> (ending: Program.Ending, output: String, errors: String) {
        try Program.run(GatewayProcess.binary, words + ["--config", directory.path], input: input)
    }

    @Test("a backend that other entries already name is created; remaining errors are reported by check")
    func backend() throws {
        let directory = try directory([
            "routes.json": #"""
            [{"path": "/a/**", "upstream": "api", "backends": ["shop/1.0"]},
             {"path": "/b/**", "upstream": "api", "backends": ["billing/1.0"]}]
            """#
        ])
        #expect(try run(directory, "check").ending == .exit(1))
        let other = try run(directory, "backend", "create", "shoe", "1.0")
        #expect(other.ending == .exit(1) && other.errors.contains("correct them first"), "\(other.errors)")
        #expect(other.errors.contains(#"unknown backend "shop/1.0""#) && other.errors.contains("nothing was written"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/backends.json"))
        let first = try run(directory, "backend", "create", "shop", "1.0")
        #expect(first.ending == .exit(0), "\(first.errors)")
        #expect(JSONText(first.output)["clientSecret"].string?.isEmpty == false)
        let left = try run(directory, "check").errors
        #expect(!left.contains("shop/1.0") && left.contains("billing/1.0"), "\(left)")
        #expect(try run(directory, "backend", "create", "billing", "1.0").ending == .exit(0))
        #expect(try run(directory, "check").ending == .exit(0))
    }

    @Test("the first user of a login form is added, alone or by an import", arguments: ["add", "import"])
    func firstUser(_ action: String) throws {
        let directory = try directory([
            "routes.json": #"[{"path": "/a/**", "upstream": "api", "login": "local"}]"#
        ])
        #expect(try run(directory, "check").errors.contains("the gateway's own form has no users"))
        let added =
            action == "add"
            ? try run(directory, "users", "add", "ann", input: "Welcome-1\n")
            : try run(directory, "users", "import", "-", input: "username,password\nann,Welcome-1\n")
        #expect(added.ending == .exit(0), "\(added.errors)")
        #expect(try run(directory, "check").ending == .exit(0))
        #expect(JSONText(try directory.read("users.json")).list.map { $0["username"].string } == ["ann"])
    }

    @Test("a password is not hashed by settings that have errors")
    func unknownPasswordRules() throws {
        let directory = try directory(["routes.json": #"[{"path": "/a/**", "upstream": "api", "login": "local"}]"#])
        let gateway = try directory.read("gateway.json").replacing(
            "}}}", with: #"}}, "passwords": {"minLength": "9"}}"#)
        try directory.write("gateway.json", gateway)
        let added = try run(directory, "users", "add", "ann", input: "Welcome1\n")
        #expect(added.ending == .exit(1) && added.errors.contains("/passwords/minLength"), "\(added.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/users.json"))
    }

    @Test("invalid users, policies and certificates can be corrected by commands; new errors are refused")
    func others() throws {
        let directory = try directory([
            "routes.json": #"[{"path": "/a/**", "upstream": "api"}]"#,
            "roles.json": #"["Clerk"]"#,
            "users.json": #"[{"username": "joe", "roles": ["Cleark"]}, {"username": "ann", "roles": ["Boss"]}]"#,
            "policies.json": #"{"Security_TokenExchangeTimeoutSecs": "6h"}"#,
            "certificates.json": #"[{"alias": "idp", "pem": "file:nowhere.pem"}]"#,
        ])
        let before = try directory.contents()
        let worse = try run(directory, "policy", "set", "Security_TokenExchangeTimeoutSecs", "7h")
        #expect(worse.ending == .exit(1), "\(worse.output)")
        let added = try run(directory, "users", "add", "bob", "--roles", "Nobody", "--no-password")
        #expect(added.ending == .exit(1) && added.errors.contains("/users/2/roles/0"), "\(added.errors)")
        #expect(!added.errors.contains("/users/0/roles/0"))
        #expect(try directory.contents() == before)
        #expect(try run(directory, "policy", "unset", "Security_TokenExchangeTimeoutSecs").ending == .exit(0))
        #expect(try run(directory, "users", "remove-role", "joe", "Cleark").ending == .exit(0))
        #expect(try run(directory, "users", "remove", "ann").ending == .exit(0))
        #expect(try run(directory, "certificate", "remove", "idp").ending == .exit(0))
        let checked = try run(directory, "check")
        #expect(checked.ending == .exit(0), "\(checked.errors)")
        #expect(JSONText(try directory.read("users.json")).list.map { $0["username"].string } == ["joe"])
    }

    @Test(
        "JWT-02: a token policy that check rejects is not written", arguments: Administrator.Way.allCases)
    func tokenPolicy(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        for (value, place) in [
            (#"{"issuers":{}}"#, "/issuers"), (#"{}"#, ""),
            (
                #"{"issuers": [{"issuerName": "a", "jwks": {"url": "https://a.example.com"}}, {"issuerName": "a"}]}"#,
                "/issuers/1"
            ),
        ] {
            let errors = try admin.refused("policy", "set", "Security_AuthTokenConfiguration", value)
            #expect(
                errors.contains("error: /policies/Security_AuthTokenConfiguration\(place)"), "\(value): \(errors)")
            let directory = try directory([
                "policies.json": #"{"Security_AuthTokenConfiguration": \#(value)}"#
            ])
            // The error is that of `check`.
            let wanted = try run(directory, "check").errors.split(separator: "\n").filter { $0.contains(" error: ") }
            let first = try #require(wanted.first.map { $0.drop { $0 != " " } })
            #expect(errors.contains(first), "\(first) is not in \(errors)")
        }
        let put = try admin.fixture.admin(
            "PUT", "/admin/policies/Security_AuthTokenConfiguration", body: #"{"value": {"issuers": {}}}"#)
        #expect(put.status == 422 && JSONText(put.text)["errors"].list.count == 1, "\(put.text)")
        // One that is there already, which the gateway serves with, is no obstacle.
        try admin.fixture.gateway.configuration.write(
            "policies.json", #"{"Security_AuthTokenConfiguration": {"issuers": {}}}"#)
        try admin.done("users", "add", "carl", "--no-password")
    }

    @Test("a change through the admin listener must leave a valid configuration")
    func running() throws {
        let fixture = try Fixture()
        let admin = Administrator(.listener, of: fixture)
        try fixture.gateway.configuration.write(
            "certificates.json", #"[{"alias": "a", "pem": "file:x"}, {"alias": "b", "pem": "file:y"}]"#)
        let errors = try admin.refused("certificate", "remove", "a")
        #expect(errors.contains("correct them first") && errors.contains("/certificates/0"), "\(errors)")
        try fixture.gateway.configuration.write("certificates.json", #"[{"alias": "a", "pem": "file:x"}]"#)
        try admin.done("certificate", "remove", "a")
    }
}
