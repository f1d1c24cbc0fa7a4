import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor

/// The spans of one request.
final class RequestTrace: Sendable {
    let tracer: Tracer
    /// Of the request itself.
    let server: TraceContext
    /// Of what the upstream is sent.
    let client: TraceContext
    /// The span above that of the request; 0 for none.
    let parent: UInt64
    /// The field for the upstream.
    let field: [UInt8]
    /// Whether the trace is the client's, whose `tracestate` goes on with it.
    let isContinued: Bool
    /// Microseconds to add to the monotonic clock for those since 1970.
    let offset: Int64

    /// - Parameters:
    ///   - trusts: whether the sender's trace is continued.
    ///   - bytes: the buffer of `headers`.
    init(_ tracer: Tracer, trusts: Bool, _ headers: HeaderTable, _ bytes: Span<UInt8>) {
        self.tracer = tracer
        var received: TraceContext?
        if trusts, headers.occurrences(.traceparent) == 1, let field = headers.value(.traceparent) {
            received = TraceContext(bytes.slice(field))
        }
        isContinued = received != nil
        parent = received?.span ?? 0
        let isSampled = Int.random(in: 0..<1_000_000) < tracer.settings.perMillion
        server = received?.child ?? TraceContext(isSampled: isSampled)
        client = server.child
        field = Array("Traceparent: \(client.field)\r\n".utf8)
        offset = Clock.wallSeconds * 1_000_000 - Clock.monotonicMicroseconds
    }

    /// Whether a received field would tell the upstream another trace.
    func replaces(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        if field.token == .traceparent { return true }
        return !isContinued && FieldSkeleton.matches(bytes.slice(field.name), RequestTrace.tracestate)
    }

    /// Longer paths are cut, so that the spans that wait for a slow collector need little memory.
    private static let longestPath = 512

    private static let tracestate = FieldSkeleton.of("tracestate")

    /// Sends the spans of a request that has ended.
    ///
    /// - Parameter now: microseconds of the monotonic clock.
    func end(_ exchange: Exchange, now: Int64) {
        guard server.isSampled else { return }
        let (path, host) = (exchange.path, exchange.host)
        let method = exchange.head.method.name.map { "\($0)" } ?? "_OTHER"
        let status = exchange.response.status
        let route = exchange.route?.pattern.text
        var attributes: [(name: String, value: TraceSpan.Value)] = [
            ("http.request.method", .text(method)),
            ("url.path", .text(String(copying: path.readable.extracting(first: RequestTrace.longestPath)))),
            ("url.scheme", .text(exchange.isSecure ? "https" : "http")),
            ("http.response.status_code", .number(status)),
            ("network.protocol.version", .text(exchange.stream == nil ? "1.1" : "2")),
            ("portcullis.reason", .text(exchange.response.reason.code)),
        ]
        if let route { attributes.append(("http.route", .text(route))) }
        if !host.isEmpty {
            attributes += TraceSpan.server(String(copying: host.readable), isSecure: exchange.isSecure)
        }
        if let address = exchange.address { attributes.append(("client.address", .text("\(address)"))) }
        if let client = exchange.principal?.clientID { attributes.append(("portcullis.client_id", .text(client))) }
        if let message = exchange.response.message?.message { attributes += RequestTrace.attributes(of: message) }
        let isError = status >= 500
        if isError { attributes.append(("error.type", .text("\(status)"))) }
        var spans = [
            TraceSpan(
                context: server, parent: parent, name: [method, route].compactMap(\.self).joined(separator: " "),
                kind: .server, start: exchange.times.startedAt + offset, end: now + offset, attributes: attributes,
                isError: isError)
        ]
        if let group = exchange.group { spans.append(upstreamSpan(exchange, group, method, now)) }
        tracer.add(spans)
    }

    /// By the OpenTelemetry conventions for MCP.
    private static func attributes(of message: MCPMessage) -> [(name: String, value: TraceSpan.Value)] {
        func text(_ value: String) -> TraceSpan.Value { .text(String(value.prefix(longestPath))) }
        let method = [(name: "mcp.method.name", value: text(message.method))]
        guard let subject = message.subject else { return method }
        let name =
            switch subject.kind {
            case .tool: "gen_ai.tool.name"
            case .prompt: "gen_ai.prompt.name"
            case .resource: "mcp.resource.uri"
            }
        return method + [(name, text(subject.name))]
    }

    private func upstreamSpan(
        _ exchange: Exchange, _ group: UpstreamGroup, _ method: String, _ now: Int64
    ) -> TraceSpan {
        let hasAnswered = exchange.times.answeredAt > 0
        var attributes: [(name: String, value: TraceSpan.Value)] = [
            ("http.request.method", .text(method)), ("portcullis.upstream", .text(group.settings.name)),
        ]
        if let server = exchange.server { attributes += TraceSpan.server(server.target) }
        if hasAnswered {
            attributes.append(("http.response.status_code", .number(exchange.response.status)))
        } else {
            attributes.append(("error.type", .text(exchange.response.reason.code)))
        }
        return TraceSpan(
            context: client, parent: server.span, name: method, kind: .client,
            start: max(exchange.times.startedAt, exchange.times.forwardedAt) + offset, end: now + offset,
            attributes: attributes,
            isError: !hasAnswered || exchange.response.status >= 500)
    }
}
