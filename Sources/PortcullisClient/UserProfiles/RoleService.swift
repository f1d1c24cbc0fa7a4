/// Roles and who has them (UPS-05, UPS-06): what the mobile client kit calls `OMRoleManager`. Roles are the groups of the user
/// profile service.
public struct RoleService: Sendable {
    private let calls: ProfileCalls

    public init(client: GatewayClient) { calls = ProfileCalls(client: client) }

    public func role(_ name: String) async throws(ClientError) -> ClientJSON {
        try await calls.call("GET", ["groups", name])
    }

    public func roles(page: ProfilePage = ProfilePage()) async throws(ClientError) -> [ClientJSON] {
        ProfileCalls.items(try await calls.call("GET", ["groups"], query: page.query))
    }

    @discardableResult
    public func create(_ name: String, description: String? = nil) async throws(ClientError) -> ClientJSON {
        var members = [(name: "name", value: ClientJSON.string(name))]
        if let description { members.append(("description", .string(description))) }
        return try await calls.call("POST", ["groups"], .object(members))
    }

    @discardableResult
    public func update(_ name: String, description: String?) async throws(ClientError) -> ClientJSON {
        let value = description.map(ClientJSON.string) ?? .null
        return try await calls.call("PATCH", ["groups", name], .object([("description", value)]))
    }

    /// Removes a role that nothing names.
    public func delete(_ name: String) async throws(ClientError) { try await calls.call("DELETE", ["groups", name]) }

    /// The users who have a role.
    public func members(
        of name: String, page: ProfilePage = ProfilePage()
    ) async throws(ClientError) -> [ClientJSON] {
        ProfileCalls.items(try await calls.call("GET", ["groups", name, "members"], query: page.query))
    }

    /// Gives a role to a user.
    public func add(_ user: String, to name: String) async throws(ClientError) {
        try await calls.call("PUT", ["groups", name, "members", user])
    }

    /// Takes a role away from a user.
    public func remove(_ user: String, from name: String) async throws(ClientError) {
        try await calls.call("DELETE", ["groups", name, "members", user])
    }
}
