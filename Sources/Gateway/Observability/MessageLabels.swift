import Model

/// What messages to MCP servers are counted by. Of bounded number: names and clients are those of the configuration.
struct MessageLabels: Hashable, Sendable {
    let route: String
    let kind: MCPRules.Kind
    /// The name of the rule; `other` where no rule has the name.
    let name: String
    /// A client of the configuration by its reference, `other` for one that is not there, empty for none.
    let client: String
    /// Whether the message was sent on.
    let isAllowed: Bool
}
