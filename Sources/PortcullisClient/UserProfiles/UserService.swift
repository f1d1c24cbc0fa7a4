import ClientStore

/// Users of the caller's realm (UPS-01 to UPS-08), as `OMUserManager` of the mobile client kit. The login must be by
/// `oauth`, `oam` or an exchange, and its user needs the role `userProfile.read` or `userProfile.write`, except for its own
/// profile.
public struct UserService: Sendable {
    private let calls: ProfileCalls

    public init(client: GatewayClient) { calls = ProfileCalls(client: client) }

    /// A user with all attributes, or with some.
    /// - Parameter prefetch: related objects to include: `manager`, `reports`, `groups`.
    public func user(
        _ id: String, attributes: [String] = [], prefetch: [String] = []
    ) async throws(ClientError) -> ClientJSON {
        var query: [(name: String, value: String)] = []
        if !attributes.isEmpty { query.append(("attrs", attributes.joined(separator: ","))) }
        if !prefetch.isEmpty { query.append(("prefetch", prefetch.joined(separator: ","))) }
        return try await calls.call("GET", ["people", id], query: query)
    }

    /// The users whose attributes have these values.
    /// - Parameter isSimple: whether one matching attribute suffices, by prefix.
    public func users(
        matching filters: [(attribute: String, value: String)] = [], isSimple: Bool = false,
        page: ProfilePage = ProfilePage()
    ) async throws(ClientError) -> [ClientJSON] {
        var query = filters.map { (name: "filter[\($0.attribute)]", value: $0.value) }
        if isSimple { query.append(("simple", "true")) }
        return ProfileCalls.items(try await calls.call("GET", ["people"], query: query + page.query))
    }

    /// Creates a user.
    /// - Parameter password: nil for a user without a password.
    @discardableResult
    public func create(
        _ id: String, password: String? = nil, attributes: [(name: String, value: String)] = []
    ) async throws(ClientError) -> ClientJSON {
        var members = [(name: "id", value: ClientJSON.string(id))]
        if let password { members.append(("password", .string(password))) }
        members += attributes.map { ($0.name, .string($0.value)) }
        return try await calls.call("POST", ["people"], .object(members))
    }

    /// Sets attributes, and removes those whose value is nil.
    @discardableResult
    public func update(
        _ id: String, attributes: [(name: String, value: String?)]
    ) async throws(ClientError) -> ClientJSON {
        let members = attributes.map { (name: $0.name, value: $0.value.map(ClientJSON.string) ?? .null) }
        return try await calls.call("PATCH", ["people", id], .object(members))
    }

    /// Removes a user and revokes all tokens.
    public func delete(_ id: String) async throws(ClientError) { try await calls.call("DELETE", ["people", id]) }

    /// The manager of a user.
    public func manager(of id: String) async throws(ClientError) -> ClientJSON {
        try await calls.call("GET", ["people", id, "manager"])
    }

    /// The users with this manager.
    public func reports(
        of id: String, page: ProfilePage = ProfilePage()
    ) async throws(ClientError) -> [ClientJSON] {
        ProfileCalls.items(try await calls.call("GET", ["people", id, "reports"], query: page.query))
    }
}
