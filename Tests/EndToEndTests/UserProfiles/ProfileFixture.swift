import Foundation
import Testing

/// The fixture with user profiles, and people who may read and write them.
final class ProfileFixture: Sendable {
    static let path = "/oic_rest/rest/userprofile"

    let gateway: Fixture

    /// - Parameter users: further ones, each the text of an object.
    init(users: [String] = [], _ change: (inout FixtureSettings) -> Void = { _ in }) throws {
        gateway = try Fixture { settings in
            settings["userProfile"] = #"{"enabled": true}"#
            settings["roles"] = """
                ["Manager", "Clerk", {"name": "Auditor", "description": "Looks at books"}, "Guest", "Employee",
                 "userProfile.read", "userProfile.write"]
                """
            settings["users"] = FixtureSettings.list(Self.users + users)
            settings["backends"] = FixtureSettings.backends.replacing(
                "\n]",
                with: """
                    ,
                      {"name": "branch", "version": "1.0", "mobileBackendId": "mbe-br-1", "clientId": "br-client",
                       "clientSecret": "br-secret", "realm": "Branch"}
                    ]
                    """)
            settings["passwords"] = #"{"throttle": {"failuresPerUser": 1000, "failuresPerAddress": 1000}}"#
            change(&settings)
        }
    }

    private static let users = [
        #"{"username": "joe", "email": "joe@example.com", "firstName": "Joe", "lastName": "Example", "password": "{PlainText}pw-joe", "roles": ["Manager"], "attributes": {"title": "Boss", "manager": "ann"}}"#,
        #"{"username": "ann", "email": "ann@example.com", "password": "{PlainText}pw-ann", "roles": ["Clerk"], "attributes": {"manager": "joe"}}"#,
        #"{"username": "bob", "email": "bob@example.com", "password": "{PlainText}pw-bob", "attributes": {"manager": "joe"}}"#,
        user("rita", #"["userProfile.read"]"#), user("will", #"["userProfile.read", "userProfile.write"]"#),
        user("wanda", #"["userProfile.write"]"#),
        user("olga", #"["userProfile.read", "userProfile.write"]"#, realm: "Branch"),
        user("otto", "[]", realm: "Branch"),
    ]

    static func user(_ name: String, _ roles: String = "[]", realm: String = "Default") -> String {
        #"{"username": "\#(name)", "realm": "\#(realm)", "password": "{PlainText}pw-\#(name)", "roles": \#(roles)}"#
    }

    // MARK: Calls

    func token(_ user: String, password: String? = nil, client: String = "inv-client:inv-secret") throws -> String {
        let form = "grant_type=password&username=\(user)&password=\(password ?? "pw-" + user)"
        let response = try gateway.grant(form, client: client)
        return try #require(JSONText(response.text)["access_token"].string, "\(response.status) \(response.text)")
    }

    func branchToken(_ user: String) throws -> String { try token(user, client: "br-client:br-secret") }

    func get(_ target: String, _ token: String) throws -> Response {
        try gateway.request("GET", Self.path + target, [.bearer(token)])
    }

    func send(
        _ method: String, _ target: String, _ token: String, _ body: String? = nil, _ more: [Field] = []
    ) throws -> Response {
        let type: [Field] = body == nil ? [] : ["Content-Type: application/json"]
        return try gateway.request(method, Self.path + target, [.bearer(token)] + type + more, body: body)
    }

    /// The status of `/inventory/items` with a password (UPS-06).
    func items(_ user: String) throws -> Int {
        try gateway.request(
            "GET", "/inventory/items", [.basic("\(user):pw-\(user)"), "Oracle-Mobile-Backend-ID: mbe-inv-1"]
        ).status
    }

    /// The audit lines of changes, once there are so many.
    func audit(_ action: String, count: Int) -> [JSONText] {
        func lines(_ lines: [String]) -> [JSONText] {
            lines.map { JSONText($0) }.filter { $0["event"].string == "audit" && $0["action"].string == action }
        }
        return gateway.gateway.program.wait(.errors) { all in
            let found = lines(all)
            return found.count >= count ? found : nil
        } ?? []
    }
}

extension Response {
    var json: JSONText { JSONText(text) }
    var code: String? { json["code"].string }
}
