/// Users of the caller's realm (UPS-01 to UPS-08): what the mobile client kit calls `OMUserManager`. The login must be one by
/// `oauth` or an exchange, whose user has the role `userProfile.read` or `userProfile.write`, or asks about itself.
public struct UserService: Sendable {
    private let calls: ProfileCalls

    public init(client: GatewayClient) { calls = ProfileCalls(client: client) }

    /// A user with all attributes, or with those that are named.
    /// - Parameter prefetch: of `manager`, `reports`, `groups`: what comes with it.
    public func user(
        _ id: String, attributes: [String] = [], prefetch: [String] = []
    ) async throws(ClientError) -> ClientJSON {
        var query: [(name: String, value: String)] = []
        if !attributes.isEmpty { query.append(("attrs", attributes.joined(separator: ","))) }
        if !prefetch.isEmpty { query.append(("prefetch", prefetch.joined(separator: ","))) }
        return try await calls.call("GET", ["people", id], query: query)
    }

    /// The users whose attributes have these values.
    /// - Parameter isSimple: whether one of them is enough, and the beginning of a value.
    public func users(
        matching filters: [(attribute: String, value: String)] = [], isSimple: Bool = false,
        page: ProfilePage = ProfilePage()
    ) async throws(ClientError) -> [ClientJSON] {
        var query = filters.map { (name: "filter[\($0.attribute)]", value: $0.value) }
        if isSimple { query.append(("simple", "true")) }
        return ProfileCalls.items(try await calls.call("GET", ["people"], query: query + page.query))
    }

    /// Makes a user.
    /// - Parameter password: nil for somebody who has none.
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

    /// Removes a user, and ends all tokens.
    public func delete(_ id: String) async throws(ClientError) { try await calls.call("DELETE", ["people", id]) }

    /// The user whom `manager` names.
    public func manager(of id: String) async throws(ClientError) -> ClientJSON {
        try await calls.call("GET", ["people", id, "manager"])
    }

    /// The users whose manager this one is.
    public func reports(
        of id: String, page: ProfilePage = ProfilePage()
    ) async throws(ClientError) -> [ClientJSON] {
        ProfileCalls.items(try await calls.call("GET", ["people", id, "reports"], query: page.query))
    }
}
