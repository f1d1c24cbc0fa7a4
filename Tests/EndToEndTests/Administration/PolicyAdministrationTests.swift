import Foundation
import Glibc
import Testing

/// Policies by command and through the admin listener (POL-01 to POL-05).
@Suite struct PolicyAdministrationTests {
    private func preflight(_ fixture: Fixture, _ origin: String) throws -> Int {
        try fixture.request(
            "OPTIONS", "/inventory/items", [.origin(origin), "Access-Control-Request-Method: POST"]
        ).status
    }

    @Test("POL-01: a changed policy applies to the next preflight", arguments: Administrator.Way.allCases)
    func setAndUnset(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        let origin = "https://a.example.com"
        #expect(try preflight(admin.fixture, origin) == 403)
        #expect(try admin.refused("policy", "get", "Security_AllowOrigin").contains("is not set"))
        try admin.done("policy", "set", "Security_AllowOrigin", origin)
        #expect(try preflight(admin.fixture, origin) == 204)
        #expect(try preflight(admin.fixture, "https://b.example.com") == 403)
        #expect(try admin.done("policy", "get", "Security_AllowOrigin") == origin)
        try admin.done("policy", "set", "Security_AllowOrigin", "-", input: "https://b.example.com\n")
        #expect(try preflight(admin.fixture, origin) == 403)
        #expect(try admin.done("policy", "list") == "Security_AllowOrigin: https://b.example.com")
        try admin.done("policy", "unset", "Security_AllowOrigin")
        #expect(try preflight(admin.fixture, "https://b.example.com") == 403)
        #expect(try admin.refused("policy", "unset", "Security_AllowOrigin").contains("is not set"))
    }

    @Test(
        "POL-01 to POL-03: unknown names get a suggestion, wrong values the finding of `check`; the old value stays",
        arguments: Administrator.Way.allCases)
    func refusals(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        try admin.done("policy", "set", "Security_TokenExchangeTimeoutSecs", "600")
        for (name, value, message) in [
            ("Security_AllowOrigins", "*", #"did you mean "Security_AllowOrigin"?"#),
            ("security_alloworigin", "*", #"did you mean "Security_AllowOrigin"?"#),
            (
                "Security_TokenExchangeTimeoutSecs", "6h",
                "error: /policies/Security_TokenExchangeTimeoutSecs: invalid value"
            ),
            ("Security_TokenExchangeTimeoutSecs", "0", "error: /policies/Security_TokenExchangeTimeoutSecs: "),
            ("Security_TokenExchangeTimeoutPolicy", "Never", "error: /policies/Security_TokenExchangeTimeoutPolicy: "),
            ("Security_AuthTokenConfiguration", "{", "error: /policies/Security_AuthTokenConfiguration: "),
        ] {
            #expect(try admin.refused("policy", "set", name, value).contains(message), "\(name) \(value)")
        }
        #expect(try admin.done("policy", "get", "Security_TokenExchangeTimeoutSecs") == "600")
    }

    @Test("POL-01: policies.json keeps its layout, schema and mode; no draft file remains")
    func form() throws {
        let before =
            "{\n\t\"$schema\": \"schema/policies.schema.json\",\n\t\"Security_AllowOrigin\" : \"disallow\"\n}\n"
        let fixture = try Fixture(files: ["policies.json": before])
        let path = fixture.gateway.configuration.path + "/policies.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        let admin = Administrator(.listener, of: fixture)
        try admin.done("policy", "set", "Security_AllowOrigin", "https://a.example.com")
        try admin.done("policy", "set", "Security_TokenExchangeTimeoutSecs", "60")
        let after = before.replacing("disallow", with: "https://a.example.com")
            .replacing(".com\"\n", with: ".com\",\n\t\"Security_TokenExchangeTimeoutSecs\": \"60\"\n")
        #expect(try fixture.gateway.configuration.read("policies.json") == after)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o604)
        try admin.done("policy", "unset", "Security_TokenExchangeTimeoutSecs")
        #expect(
            try fixture.gateway.configuration.read("policies.json")
                == before.replacing("disallow", with: "https://a.example.com"))
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.gateway.configuration.path)
        #expect(names.sorted() == ["gateway.json", "policies.json", "state"])
    }

    @Test("POL-01: GET, PUT and DELETE with entity tags prevent lost updates")
    func conditions() throws {
        let fixture = try Fixture()
        let ask = { (method: String, body: String?, fields: [Field]) in
            try fixture.gateway.request(
                method, "/admin/policies/Security_AllowOrigin", [.bearer("admin-secret")] + fields, body: body,
                listener: "admin")
        }
        #expect(try ask("GET", nil, []).status == 404)
        let first = try ask("PUT", #"{"value": "https://a.example.com"}"#, [])
        #expect(first.status == 200)
        let seen = try ask("GET", nil, [])
        #expect(JSONText(seen.text)["value"].string == "https://a.example.com")
        let tag = try #require(seen.only("ETag"))
        #expect(first.only("ETag") == tag)
        #expect(try ask("PUT", #"{"value": "disallow"}"#, ["If-Match: \(tag)"]).status == 200)
        let stale = try ask("PUT", #"{"value": "https://b.example.com"}"#, ["If-Match: \(tag)"])
        #expect(stale.status == 412)
        #expect(JSONText(stale.text)["code"].string == "precondition_failed")
        #expect(JSONText(try ask("GET", nil, []).text)["value"].string == "disallow")
        #expect(try ask("DELETE", nil, ["If-Match: *"]).status == 204)
        #expect(try ask("DELETE", nil, []).status == 404)
        #expect(try ask("HEAD", nil, []).status == 404)
    }

    @Test("POL-04: two gateways with two directories on one host share nothing")
    func environments() throws {
        let (one, other) = (try Fixture(), try Fixture())
        try Administrator(.listener, of: one).done(
            "policy", "set", "Security_AllowOrigin", "https://a.example.com")
        #expect(try preflight(one, "https://a.example.com") == 204)
        #expect(try preflight(other, "https://a.example.com") == 403)
        let token = try one.token("joe")
        #expect(try other.request("GET", "/inventory/me", [.bearer(token)]).status == 401)
    }

    @Test("POL-05: administration is available only on the admin listener and with the token")
    func onlyAdministrators() throws {
        let fixture = try Fixture()
        for path in ["/admin/health", "/admin/users", "/admin/policies"] {
            #expect(try fixture.request("GET", path, [.bearer("admin-secret")]).status == 404, "\(path)")
        }
        let before = try fixture.gateway.configuration.contents()
        let fields: [[Field]] = [
            [], [.bearer("admin-secre")], [.bearer("ADMIN-SECRET")],
            [.basic("admin:admin-secret")],
            ["Authorization: admin-secret"], [.bearer("admin-secret"), .bearer("admin-secret")],
        ]
        for field in fields {
            for (method, path) in [
                ("GET", "/admin/users"), ("PUT", "/admin/policies/Security_AllowOrigin"), ("GET", "/admin/nothing"),
            ] {
                let response = try fixture.gateway.request(
                    method, path, field, body: method == "PUT" ? #"{"value": "*"}"# : nil, listener: "admin")
                #expect([400, 401].contains(response.status), "\(field) \(path)")
                #expect(!response.text.contains("joe"))
            }
        }
        for target in ["/admin/users?access_token=admin-secret", "/admin/users?adminToken=admin-secret"] {
            #expect(try fixture.gateway.request("GET", target, listener: "admin").status == 401)
        }
        #expect(try fixture.gateway.configuration.contents() == before)
        let wrong = try Program.run(
            GatewayProcess.binary,
            ["users", "list", "--admin", "http://127.0.0.1:\(try fixture.gateway.port("admin"))"],
            environment: ["PORTCULLIS_ADMIN_TOKEN": "wrong"])
        #expect(wrong.ending == .exit(1) && wrong.errors.contains("the admin token is not accepted"))
        let open = try Fixture { $0["admin"] = #"{"address": "127.0.0.1", "port": 0}"# }
        #expect(try open.admin("GET", "/admin/users").status == 401)
    }
}
