import Policy

/// The message of a request to an MCP server, and the filter of its answer.
final class MessageRecord {
    /// Nil for a request without a message, such as one for a stream of events.
    var message: MCPMessage?
    /// The rule that its subject falls under, as it is named in the configuration; nil for none.
    var rule: String?
    /// Nil where the answer is passed on as it is.
    var filter: MessageFilter?
    /// The framing of a filtered answer towards the client.
    var framing = BodyRelay.empty
    /// The head of a filtered document, which the client gets with it: until then its answer may be an error.
    var head: [UInt8] = []
}
