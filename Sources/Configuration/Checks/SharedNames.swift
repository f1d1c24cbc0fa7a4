import Bytes
import Declaration
import Model

/// Users of several issuers who may have the same name.
package struct SharedNames {
    private let configuration: GatewayConfiguration

    package init(_ configuration: GatewayConfiguration) { self.configuration = configuration }

    /// Warns of conditions by a variable of the path that users of several issuers may meet with the same claim.
    func checkOwners(_ findings: Findings) {
        for (index, route) in configuration.routes.enumerated() where !route.acknowledged.contains(.sharedNames) {
            let rules = ([route.access] + route.methods.map(\.access)).filter { !$0.isPublic }
            guard let rule = rules.first(where: { $0.namesOwner && issuers(of: $0, on: route).count > 1 }) else {
                continue
            }
            findings.warning(
                "/routes/\(index)/claims",
                "users of \(SharedNames.list(issuers(of: rule, on: route))) with the same claim are one owner of the path",
                expected: "\"issuers\" with one of them, or \"acknowledge\": [\"shared-names\"]")
        }
    }

    /// Issuers whose users on a route may have the same names, where their tokens and accounts count; fewer than two for
    /// none.
    package func issuers(on route: RouteEntry) -> [String] {
        guard !route.acknowledged.contains(.sharedNames) else { return [] }
        for access in [route.access] + route.methods.map(\.access) where !access.isPublic {
            let names = issuers(of: access, on: route)
            let entries = configuration.trustedIssuers.filter { names.contains($0.name) && $0.users.virtualUserEnabled }
            let isOwn = names.contains(TrustedIssuerEntry.ownName)
            for entry in entries {
                // With an empty prefix a user may have a name that begins with any other one.
                let sharing = entries.filter { other in
                    other.users.usernamePrefix.utf8.starts(with: entry.users.usernamePrefix.utf8)
                }.map(\.name)
                let own = isOwn && entry.users.usernamePrefix.isEmpty ? [TrustedIssuerEntry.ownName] : []
                if sharing.count + own.count > 1 { return sharing + own }
            }
        }
        return []
    }

    /// Issuers in a message.
    package static func list(_ issuers: [String]) -> String { issuers.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// The issuers whose users a rule admits, `local` for accounts of this gateway.
    func issuers(of access: AccessRule, on route: RouteEntry) -> [String] {
        func admits(_ name: String) -> Bool {
            guard access.issuers.isEmpty || access.issuers.contains(where: name.isExactly) else { return false }
            guard let list = route.options.authenticators else { return true }
            let isOwn = name.isExactly(TrustedIssuerEntry.ownName)
            return list.contains { entry in
                switch entry.kind.type.users {
                case .ofIssuers: entry.issuer.map(name.isExactly) ?? true
                case .own: isOwn && entry.passwords == nil
                case .others: false
                }
            }
        }
        let others = configuration.trustedIssuers.filter { entry in
            entry.opensRoutes && (route.clients.isEmpty || entry.client.map(route.clients.contains) == true)
        }
        let hasOwn = configuration.tokenService.isEnabled || !configuration.users.isEmpty
        return (others.map(\.name) + (hasOwn ? [TrustedIssuerEntry.ownName] : [])).filter(admits)
    }
}

extension AccessRule {
    /// Whether a condition compares a claim with a variable of the path.
    fileprivate var namesOwner: Bool {
        withTrial.contains { rule in
            rule.claims.contains { $0.tests.contains(where: \.usesVariable) }
        }
    }
}

extension ClaimRule.Test {
    fileprivate var usesVariable: Bool {
        func isVariable(_ operand: ClaimRule.Operand) -> Bool {
            if case .variable = operand { true } else { false }
        }
        switch self {
        case .equals(let operand), .contains(let operand): return isVariable(operand)
        case .isIn(let operands): return operands.contains(where: isVariable)
        case .exists, .domain: return false
        }
    }
}
