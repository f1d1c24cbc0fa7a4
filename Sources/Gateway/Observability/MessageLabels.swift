import Identity
import Model
import Policy

/// What messages to MCP servers are counted by. Of bounded number: names and clients are those of the configuration.
struct MessageLabels: Hashable, Comparable, Sendable {
    let route: String
    let kind: MCPRules.Kind
    /// The name of the rule; `other` where no rule has the name.
    let name: String
    /// The id of a client of the configuration, `other` for one that is not there, empty for none.
    let client: String
    /// Whether the message was sent on.
    let isAllowed: Bool

    /// Nil for an exchange without such a message.
    init?(_ exchange: Exchange) {
        guard let record = exchange.response.message, let subject = record.message?.subject else { return nil }
        let principal = exchange.principal
        route = exchange.route?.name ?? ""
        (kind, name) = (subject.kind, record.rule ?? "other")
        client =
            principal.flatMap(exchange.snapshot.client)?.reference ?? (principal?.clientID == nil ? "" : "other")
        isAllowed = exchange.group != nil
    }

    /// The labels as Prometheus has them.
    var text: String {
        "route=\"\(PrometheusText.escape(route))\",kind=\"\(kind.rawValue)\",name=\"\(PrometheusText.escape(name))\","
            + "client=\"\(PrometheusText.escape(client))\",decision=\"\(isAllowed ? "allowed" : "denied")\""
    }

    static func < (one: MessageLabels, other: MessageLabels) -> Bool { one.text < other.text }
}
