/// Which tools, resources and prompts of an MCP server the callers of a route may use, by the JSON-RPC messages that they
/// send.
package struct MCPRules: Hashable, Sendable {
    /// What a message names.
    package enum Kind: String, CaseIterable, Sendable {
        case tool, resource, prompt

        /// The key of its rules.
        package var key: String { "\(rawValue)s" }
    }

    /// The rule of one name.
    package struct Entry: Hashable, Sendable {
        /// Exact, or with `*` at its end, which stands for any text.
        package let name: String
        /// Roles, scopes and claims alone.
        package let access: AccessRule

        package init(name: String, access: AccessRule) {
            self.name = name
            self.access = access
        }
    }

    /// Which entries of lists callers see.
    package enum Listing: String, CaseIterable, Sendable {
        /// Those that they may use.
        case callable
        /// Those for which they lack only scopes as well: clients can ask for these.
        case obtainable
    }

    /// Whether names without a rule may be used.
    package var allowsOthers = false
    package var listing = Listing.callable
    /// Largest message, in bytes.
    package var maximumBytes = 262_144
    package var entries: [Kind: [Entry]] = [:]

    package init() {}

    package var rules: [AccessRule] { Kind.allCases.flatMap { entries[$0] ?? [] }.map(\.access) }
}
