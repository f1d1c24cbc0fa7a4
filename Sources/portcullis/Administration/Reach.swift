/// Which gateways that share a store apply a change.
enum Reach: String, Sendable, CaseIterable {
    /// What changes is in the store.
    case allGateways = "all-gateways"
    /// All refuse what the change takes away; the rest of it applies to this gateway.
    case withdrawals
    case thisGateway = "this-gateway"

    /// The field of responses.
    static let field = "X-Gateway-Reach"

    /// For people; nil if nothing remains to do.
    /// - Parameter hasFiles: whether the change is in the files of the configuration, which can be brought elsewhere.
    func note(hasFiles: Bool) -> String? {
        switch self {
        case .allGateways: nil
        case .withdrawals:
            "all gateways refuse what this takes away; the rest applies to the others once they have the changed files"
        case .thisGateway where hasFiles:
            "this applies to this gateway; bring the changed files to the others and reload them"
        case .thisGateway: "this applies to this gateway; make the change at each of the others"
        }
    }
}
