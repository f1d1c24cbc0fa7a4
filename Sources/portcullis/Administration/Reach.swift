/// Which gateways that share a Redis server apply a change.
enum Reach: String, Sendable, CaseIterable {
    /// What changes is in the store.
    case allGateways = "all-gateways"
    /// All refuse what the change takes away; the rest of it applies to this gateway.
    case withdrawals
    case thisGateway = "this-gateway"

    /// The field of responses.
    static let field = "X-Gateway-Reach"

    /// For people; nil if nothing remains to do.
    var note: String? {
        switch self {
        case .allGateways: nil
        case .withdrawals:
            "all gateways refuse what this takes away; the rest applies to this gateway, and to others with their files"
        case .thisGateway: "this applies to this gateway; make the change at each of the others"
        }
    }
}
