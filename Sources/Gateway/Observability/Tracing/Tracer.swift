import Bytes
import Model
import Outbound
import Reactor
import Synchronization

/// Gathers spans and sends them to a collector in batches (OTLP over HTTP, JSON). Never blocks; what waits is bounded, and
/// what does not fit is dropped and counted.
package final class Tracer: Sendable {
    private struct State {
        var spans: [TraceSpan] = []
        var isSending = false
        var lastSent: Int64 = 0
        var report = Report()
    }

    /// Spans since the configuration took effect.
    package struct Report: Sendable {
        package var sent: UInt64 = 0
        package var dropped: UInt64 = 0
        package var failed: UInt64 = 0
    }

    let settings: TracingSettings
    package let transport: OutboundTransport
    private let authorization: String?
    private let caller: any OutboundCaller
    private let state = Mutex(State())
    /// What stands around the spans of a batch.
    private let version: String

    private static let batch = 512
    /// Microseconds after which fewer spans are sent, too.
    private static let patience: Int64 = 1_000_000

    package init(
        _ settings: TracingSettings, transport: OutboundTransport, authorization: String?, version: String,
        caller: any OutboundCaller
    ) {
        self.settings = settings
        self.transport = transport
        self.authorization = authorization
        self.version = version
        self.caller = caller
    }

    /// Spans of a former configuration are still sent.
    deinit {
        let spans = state.withLock { $0.spans }
        if !spans.isEmpty { caller.perform(call(spans)) { _ in } }
    }

    /// Of the collector.
    package var url: WebURL { settings.url }

    package var report: Report { state.withLock { $0.report } }

    func add(_ spans: [TraceSpan]) {
        let isFull = state.withLock { state in
            for span in spans {
                if state.spans.count < settings.maximumSpans {
                    state.spans.append(span)
                } else {
                    state.report.dropped += 1
                }
            }
            return state.spans.count >= Tracer.batch
        }
        if isFull { send() }
    }

    /// Sends what has waited for a while. Called once a second.
    func tick() { send() }

    /// Sends the next batch, unless one is under way.
    private func send() {
        let now = Clock.monotonicMicroseconds
        let spans = state.withLock { state -> [TraceSpan] in
            guard !state.isSending, !state.spans.isEmpty,
                state.spans.count >= Tracer.batch || now - state.lastSent >= Tracer.patience
            else { return [] }
            state.isSending = true
            state.lastSent = now
            let spans = Array(state.spans.prefix(Tracer.batch))
            state.spans.removeFirst(spans.count)
            return spans
        }
        if spans.isEmpty { return }
        // Not itself a part of the request that is under way.
        CallTrace.$current.withValue(nil) { caller.perform(call(spans)) { [self] in sent(spans.count, $0) } }
    }

    private func sent(_ count: Int, _ result: OutboundResult) {
        state.withLock { state in
            state.isSending = false
            if case .response(let response) = result, 200..<300 ~= response.status {
                state.report.sent += UInt64(count)
            } else {
                state.report.failed += UInt64(count)
            }
        }
        // More may have gathered meanwhile.
        send()
    }

    private func call(_ spans: [TraceSpan]) -> OutboundCall {
        let body = JSONWriter.object { writer in
            writer.name("resourceSpans")
            writer.beginArray()
            writer.object { resource in
                resource.member("resource") { object in
                    object.name("attributes")
                    let own: [(name: String, value: TraceSpan.Value)] = [
                        ("service.name", .text(settings.serviceName)), ("service.version", .text(version)),
                    ]
                    TraceSpan.append(own + settings.attributes.map { ($0.name, .text($0.value)) }, to: &object)
                }
                resource.name("scopeSpans")
                resource.beginArray()
                resource.object { scope in
                    scope.member("scope") { $0.member("name", "portcullis") }
                    scope.name("spans")
                    scope.beginArray()
                    for span in spans { span.append(to: &scope) }
                    scope.endArray()
                }
                resource.endArray()
            }
            writer.endArray()
        }
        let headers =
            [(name: "Content-Type", value: "application/json")]
            + (authorization.map { [(name: "Authorization", value: $0)] } ?? [])
        var call = transport.call("POST", settings.url, headers: headers, body: body, maximumBytes: 65_536)
        call.leastFailure = 300
        return call
    }
}
