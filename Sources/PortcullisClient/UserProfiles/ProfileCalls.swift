import Bytes
import ClientStore
import HTTP

/// Calls of the user profile service, which `UserService` and `RoleService` share.
struct ProfileCalls: Sendable {
    let client: GatewayClient

    /// - Parameters:
    ///   - path: unencoded segments after `/oic_rest/rest/userprofile/`.
    ///   - body: nil for none.
    /// - Returns: the response; null for an empty one.
    @discardableResult
    func call(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = [], _ body: ClientJSON? = nil
    ) async throws(ClientError) -> ClientJSON {
        var target = GatewayPaths.userProfiles + path.map(PathSegment.encode).joined(separator: "/")
        if !query.isEmpty { target += "?" + FormText.query(query) }
        var request = ClientRequest(method, client.profile.url(target), body: body?.text ?? [])
        if body != nil { request.fields.append(.init("Content-Type", "application/json")) }
        if let login = try? client.login(), login.method == .mobile, let token = login.token {
            // The service takes the user token of the login itself, without a webgate.
            request.fields.append(.init("X-Idaas-Rest-Subject-Type", "TOKEN"))
            request.fields.append(.init(GatewayPaths.userTokenField, token))
            request.usesSession = false
        }
        let response = try await client.execute(request)
        guard response.isSuccess else {
            if let problem = response.problem { throw problem }
            throw ServiceReply(response).refusal
        }
        guard !response.body.isEmpty else { return .null }
        guard let node = try? JSONNode.parse(response.body.span) else {
            throw ClientError(.notJSON, "the reply with status \(response.status) is no JSON")
        }
        return ClientJSON(node)
    }

    /// The objects of a list: its `items`, or the list itself.
    static func items(_ reply: ClientJSON) -> [ClientJSON] {
        if case .array(let items) = reply["items"] ?? reply { items } else { [] }
    }
}

/// A page of a list.
public struct ProfilePage: Equatable, Sendable {
    /// From 0.
    public var position: Int
    /// Up to 200.
    public var size: Int

    public init(position: Int = 0, size: Int = 50) {
        self.position = position
        self.size = size
    }

    var query: [(name: String, value: String)] { [("pagePosition", "\(position)"), ("pageSize", "\(size)")] }
}
