import Bytes
import Identity
import Model

/// The rules of a route about messages to an MCP server, with their names resolved. Knows no request: what it decides depends
/// on the message, the caller and the path alone.
package final class MessageRules: Sendable {
    /// What one name requires.
    package struct Rule: Sendable {
        /// As in the configuration; of bounded number, for counters.
        package let name: String
        let roles: RoleRequirement
        let token: TokenRequirement?
        /// The scopes that a client has to ask for.
        let scopes: [String]

        fileprivate init(_ entry: MCPRules.Entry, roles catalogue: RoleCatalogue, claims: ClaimSelection) {
            name = entry.name
            roles = RoleRequirement(entry.access.roles, catalogue)
            token = TokenRequirement(entry.access, claims)
            scopes = entry.access.scopes.all + (entry.access.scopes.any ?? []).prefix(1)
        }

        /// Which right the caller lacks, or nil.
        fileprivate func lacking(_ principal: Principal?, path: Span<UInt8>) -> Reason? {
            guard let principal else {
                return token == nil && roles == RoleRequirement() ? nil : .missingCredential
            }
            return roles.isMet(by: principal) ? token?.lacking(principal, path: path) : .roleRequired
        }
    }

    /// Those of one kind: by exact name, and by beginning, the longest first. Names are compared byte by byte.
    private struct Names {
        var exact: [[UInt8]: Rule] = [:]
        var beginnings: [(text: [UInt8], rule: Rule)] = []

        init(_ entries: [MCPRules.Entry], roles: RoleCatalogue, claims: ClaimSelection) {
            for entry in entries {
                let (rule, name) = (Rule(entry, roles: roles, claims: claims), Array(entry.name.utf8))
                if name.last == UInt8(ascii: "*") {
                    beginnings.append((name.dropLast(), rule))
                } else {
                    exact[name] = rule
                }
            }
            beginnings.sort { $0.text.count > $1.text.count }
        }

        func rule(of name: [UInt8]) -> Rule? {
            exact[name] ?? beginnings.first { name.starts(with: $0.text) }?.rule
        }
    }

    private let names: [MCPRules.Kind: Names]
    private let allowsOthers: Bool
    private let listing: MCPRules.Listing
    /// Largest message, in bytes.
    package let maximumBytes: Int

    init(_ rules: MCPRules, roles: RoleCatalogue, claims: ClaimSelection) {
        names = rules.entries.mapValues { Names($0, roles: roles, claims: claims) }
        (allowsOthers, listing, maximumBytes) = (rules.allowsOthers, rules.listing, rules.maximumBytes)
    }

    /// The rule of a name; nil for none.
    package func rule(of subject: MCPMessage.Subject) -> Rule? {
        names[subject.kind]?.rule(of: Array(subject.name.utf8))
    }

    /// Why a caller may not use it, or nil.
    ///
    /// - Parameters:
    ///   - principal: nil for a caller without a credential, where the route admits such.
    ///   - path: the canonical path of the request.
    package func refusal(of subject: MCPMessage.Subject, by principal: Principal?, path: Span<UInt8>) -> Reason? {
        if subject.kind == .resource, let names = names[.resource], names.exact[Array(subject.name.utf8)] == nil {
            guard ResourceURI.isPlain(subject.name) else { return .toolNotAllowed }
            // A server may take what a query belongs to for the resource.
            if let end = subject.name.firstIndex(of: "?") {
                let named = MCPMessage.Subject(kind: .resource, name: String(subject.name[..<end]))
                if let reason = refusal(of: named, by: principal, path: path) { return reason }
            }
        }
        guard let rule = rule(of: subject) else { return allowsOthers ? nil : .toolNotAllowed }
        return rule.lacking(principal, path: path)
    }

    /// The scopes that a client has to ask for: those that it has, those of the route and those of the rule.
    package func scopes(for subject: MCPMessage.Subject, on access: AccessRule, held: [String]) -> [String] {
        (held + access.scopes.all + (rule(of: subject)?.scopes ?? [])).unique()
    }

    /// Whether lists show it to the caller.
    func lists(_ subject: MCPMessage.Subject, to principal: Principal?, path: Span<UInt8>) -> Bool {
        let reason = refusal(of: subject, by: principal, path: path)
        return reason == nil || reason == .scopeRequired && listing == .obtainable
    }
}
