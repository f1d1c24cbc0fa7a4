import Foundation
import Testing
import UserProfiles

/// `portcullis roles`, attributes of users, and the same through the admin listener (UPS-03, UPS-05).
@Suite struct RoleAdministrationTests {
    @Test(
        "UPS-05: roles are added, described and removed, unless they are referenced",
        arguments: Administrator.Way.allCases)
    func roles(_ way: Administrator.Way) throws {
        let admin = try Administrator(way)
        try admin.done("roles", "add", "Night shift", "--description", "From ten to six")
        // One on a line.
        #expect(
            try admin.done("roles", "list").contains(#"{"name":"Night shift","description":"From ten to six"}"#))
        try admin.done("users", "assign-role", "bob", "Night shift")
        #expect(try admin.refused("roles", "remove", "Night shift").contains("in use at /users/2/roles/0"))
        #expect(try admin.refused("roles", "remove", "Manager").contains("in use at"))
        #expect(try admin.refused("roles", "add", "Clerk").contains(#"there is a role "Clerk" already"#))
        #expect(try admin.refused("roles", "add", "a,b").contains("invalid role name"))
        #expect(try admin.refused("roles", "remove", "Clerc").contains(#"did you mean "Clerk"?"#))
        try admin.done("roles", "describe", "Night shift")
        try admin.done("users", "remove-role", "bob", "Night shift")
        #expect(try admin.done("roles", "list").contains(#"{"name":"Night shift"}"#))
        try admin.done("roles", "remove", "Night shift")
        #expect(!(try admin.done("roles", "list").contains("Night")))
        let added = try Program.run(
            GatewayProcess.binary,
            [
                "roles", "add", "--config", admin.fixture.gateway.configuration.path, "--description", "A dash", "--",
                "-x",
            ])
        #expect(added.ending == .exit(0), "\(added.errors)")
        #expect(try admin.done("roles", "list").contains(#"{"name":"-x","description":"A dash"}"#))
    }

    @Test("UPS-05: a role that a route already requires can be added, which makes the configuration valid")
    func roleOfRoute() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": #"""
            {"baseUrl": "http://gw.example.com",
             "listeners": [{"name": "local", "address": "127.0.0.1", "port": 8080}],
             "upstreams": {"api": {"url": "http://127.0.0.1:9000"}}}
            """#,
            "routes.json": #"[{"path": "/a/**", "upstream": "api", "roles": ["Clerk"]}]"#,
            "roles.json": #"["Manager"]"#,
        ])
        func run(_ words: String...) throws -> (ending: Program.Ending, output: String, errors: String) {
            try Program.run(GatewayProcess.binary, words + ["--config", directory.path])
        }
        #expect(try run("check").ending == .exit(1))
        // Another one does not mend it, and the error is reported.
        let other = try run("roles", "add", "Clark")
        #expect(other.ending == .exit(1) && other.errors.contains("/0/roles/0"), "\(other.errors)")
        #expect(other.errors.contains("correct them first"))
        #expect(try directory.read("roles.json") == #"["Manager"]"#)
        let added = try run("roles", "add", "Clerk", "--description", "Counts")
        #expect(added.ending == .exit(0), "\(added.errors)")
        #expect(try run("check").ending == .exit(0))
        #expect(try run("roles", "list").output.contains(#"{"name":"Clerk","description":"Counts"}"#))
        #expect(try run("roles", "add", "Clerk").errors.contains(#"there is a role "Clerk" already"#))
        // The file need not be there.
        try directory.remove("roles.json")
        #expect(try run("roles", "add", "Clerk").ending == .exit(0))
        #expect(try run("check").ending == .exit(0))
    }

    @Test("UPS-03: attributes are set one by one, and shown")
    func attributes() throws {
        let fixture = try Fixture()
        func change(_ attributes: String) throws -> Response {
            try fixture.admin("PATCH", "/admin/users/bob", body: #"{"attributes":\#(attributes)}"#)
        }
        #expect(try change(#"{"title":"T","manager":"joe"}"#).json["attributes"].names == ["manager", "title"])
        let changed = try change(#"{"title":null,"country":"US"}"#)
        #expect(changed.json["attributes"]["manager"].string == "joe" && changed.json["attributes"].names.count == 2)
        #expect(try change(#"{"tittle":"x"}"#).status == 422)
        #expect(try change(#"{"title":5}"#).status == 422)
        #expect(try change("[]").status == 400)
        #expect(try fixture.admin("GET", "/admin/users/bob").text == changed.text)
        #expect(!(try change("null").json["attributes"].exists))
        #expect(!(try change("{}").json["attributes"].exists))
        let made = try fixture.admin(
            "POST", "/admin/users", body: #"{"username":"carl","attributes":{"title":"New","mobile":null}}"#)
        #expect(made.status == 201 && made.json["attributes"].names == ["title"])
    }

    @Test("UPS-04: service and file use the same attribute names")
    func names() {
        let users = JSONText(Vectors.text("config/schema/users.schema.json"))["$defs"]["users"]["items"]
        let attributes = users["properties"]["attributes"]["properties"]
        let elsewhere: Set = ["id", "uid", "uri", "mail", "firstName", "lastName", "managerURI", "reports"]
        #expect(
            Set(attributes.names).union(elsewhere)
                == Set(ProfileAttribute.allCases.map(\.rawValue)))
    }
}
