import Foundation
import Testing

/// Names of users where administrators make them.
@Suite struct UserNameAdministrationTests {
    private static let long = String(repeating: "a", count: 10_000)
    private static let bad = [
        long, String(repeating: "b", count: 257), " ", "joe ", " joe", "jo\u{202e}e", "jo\u{a0}e", "jo\u{200b}e",
        "joe\u{3164}", "joe\u{2800}", "joe\u{200d}",
    ]

    private static func body(_ name: String) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: ["username": name]), as: UTF8.self)
    }

    @Test("admin API, command and CSV import refuse long and misleading names", arguments: bad)
    func refused(_ name: String) throws {
        let fixture = try Fixture()
        let before = try fixture.admin("GET", "/admin/users").text
        let response = try fixture.admin("POST", "/admin/users", body: UserNameAdministrationTests.body(name))
        #expect(response.status == 400, "\(response.text)")
        #expect(JSONText(response.text)["detail"].string?.hasPrefix("the user name ") == true)
        let list = try fixture.gateway.request(
            "POST", "/admin/users", [.bearer("admin-secret"), "Content-Type: text/csv"],
            body: "username,email\nzoe,zoe@example.com\n\(name),\n", listener: "admin")
        #expect(list.status == 422, "\(list.text)")
        #expect(JSONText(list.text)["errors"][0].string?.hasPrefix("line 3: the user name ") == true, "\(list.text)")
        let command = try Program.run(
            GatewayProcess.binary, ["users", "add", name, "--config", fixture.gateway.configuration.path])
        #expect(command.ending == .exit(1), "\(command.errors)")
        #expect(command.errors.contains("the user name "))
        #expect(try fixture.admin("GET", "/admin/users").text == before)
    }

    @Test("a name of 256 bytes is created and removed; an existing longer one can be removed too")
    func removed() throws {
        let fixture = try Fixture { settings in
            settings["users"] = #"[{"username": "joe"}, {"username": "\#(UserNameAdministrationTests.long)"}]"#
        }
        let limit = String(repeating: "\u{e9}", count: 128)
        #expect(try fixture.admin("POST", "/admin/users", body: UserNameAdministrationTests.body(limit)).status == 201)
        for name in [String(repeating: "%C3%A9", count: 128), UserNameAdministrationTests.long] {
            #expect(try fixture.admin("GET", "/admin/users/\(name)").status == 200)
            #expect(try fixture.admin("DELETE", "/admin/users/\(name)").status == 204)
            #expect(try fixture.admin("GET", "/admin/users/\(name)").status == 404)
        }
        // Clients have no more than they are given.
        #expect(try fixture.request("GET", "/open/\(UserNameAdministrationTests.long)").status == 414)
    }
}
