import Testing

/// What a reload takes from users, and from no others (MAP-04, CACHE-07).
@Suite struct UserReloadTests {
    private static func user(_ name: String, _ members: String = "") -> String {
        let password = ["joe": "Welcome1", "ann": "Welcome2", "bob": "Welcome3"][name] ?? "Welcome9"
        return #"{"username": "\#(name)", "password": "{PlainText}\#(password)", "roles": ["Manager"]\#(members)}"#
    }

    private static func users(_ users: String...) -> String { "[\(users.joined(separator: ", "))]" }

    @Test(
        "tokens of removed or disabled users stay refused, also when the users return",
        arguments: [
            users(user("joe"), user("bob")), users(user("bob"), user("joe")),
            users(user("bob"), user("zoe"), user("ann", #", "enabled": false"#), user("joe")),
            users(user("joe"), user("ann", #", "enabled": false"#), user("bob")),
            users(user("zoe"), user("joe"), user("bob")),
        ])
    func gone(_ between: String) throws {
        let all = UserReloadTests.users(
            UserReloadTests.user("joe"), UserReloadTests.user("ann"), UserReloadTests.user("bob"))
        let fixture = try Fixture {
            $0["users"] = all
            $0["backends"] = StandardsTests.backends()
        }
        var tokens: [String: JSONText] = [:]
        for (name, password) in [("joe", "Welcome1"), ("ann", "Welcome2"), ("bob", "Welcome3")] {
            tokens[name] = JSONText(try fixture.grant("grant_type=password&username=\(name)&password=\(password)").text)
        }
        func statuses() throws -> [String: Int] {
            try tokens.mapValues {
                let token = try #require($0["access_token"].string)
                return try fixture.request("GET", "/inventory/me", [.bearer(token)]).status
            }
        }
        #expect(try statuses() == ["joe": 200, "ann": 200, "bob": 200])
        try fixture.reload {
            $0["users"] = between
            $0["backends"] = StandardsTests.backends()
        }
        #expect(try statuses() == ["joe": 200, "ann": 401, "bob": 200])
        try fixture.reload {
            $0["users"] = all
            $0["backends"] = StandardsTests.backends()
        }
        for (name, status) in [("joe", 200), ("ann", 400), ("bob", 200)] {
            let token = try #require(tokens[name]?["refresh_token"].string)
            let found = try fixture.grant("grant_type=refresh_token&refresh_token=\(token)").status
            #expect(found == status, "\(name)")
        }
    }
}
