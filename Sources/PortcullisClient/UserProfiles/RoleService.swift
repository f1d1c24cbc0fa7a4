import ClientStore

/// Roles and their members (UPS-05, UPS-06), as `OMRoleManager` of the mobile client kit. Roles are the groups of the
/// user profile service.
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

    /// Removes an unused role.
    public func delete(_ name: String) async throws(ClientError) { try await calls.call("DELETE", ["groups", name]) }

    /// The users who have a role.
    public func members(
        of name: String, page: ProfilePage = ProfilePage()
    ) async throws(ClientError) -> [ClientJSON] {
        ProfileCalls.items(try await calls.call("GET", ["groups", name, "members"], query: page.query))
    }

    /// Assigns a role to a user.
    public func add(_ user: String, to name: String) async throws(ClientError) {
        try await calls.call("PUT", ["groups", name, "members", user])
    }

    /// Removes a role from a user.
    public func remove(_ user: String, from name: String) async throws(ClientError) {
        try await calls.call("DELETE", ["groups", name, "members", user])
    }
}
