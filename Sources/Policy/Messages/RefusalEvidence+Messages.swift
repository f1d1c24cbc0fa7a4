import Identity
import Model

extension RefusalEvidence {
    /// What was compared when a message was refused.
    ///
    /// - Parameters:
    ///   - subject: what the message is about.
    ///   - path: the canonical path.
    package func evidence(
        for reason: Reason, of subject: MCPMessage.Subject, on route: Route?, _ principal: Principal?,
        path: Span<UInt8>
    ) -> Evidence {
        let rule = route?.messages?.rule(of: subject)
        let lines: [String] =
            switch reason {
            case .roleRequired: rule.map { missingRoles($0.roles, principal).lines } ?? []
            case .scopeRequired, .claimRequired: rule?.token?.missing(principal, policy.claims, path: path) ?? []
            default: ["no rule allows it"]
            }
        return Evidence(["\(subject.kind.rawValue) \(Evidence.quoted(subject.name))"] + lines)
    }
}
