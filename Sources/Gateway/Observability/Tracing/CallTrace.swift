import Model
import Outbound
import Reactor

/// The request for which calls to other servers are made: those that begin in its scope are spans below it.
enum CallTrace {
    @TaskLocal static var current: RequestTrace?

    /// The call with the field of its span, and the completion that records the span. Calls that follow from the answer belong
    /// to the same request.
    static func tracing(
        _ pending: PendingCall, for trace: RequestTrace
    ) -> PendingCall {
        let (call, then) = (pending.call, pending.then)
        let context = trace.server.child
        let startedAt = Clock.monotonicMicroseconds
        var traced = call
        traced.headers.append((name: "Traceparent", value: context.field))
        let url = call.url
        let method = call.method
        return PendingCall(
            call: traced,
            then: { result in
                var attributes: [(name: String, value: TraceSpan.Value)] = [
                    ("http.request.method", .text(method)), ("server.address", .text(url.host)),
                    ("server.port", .number(Int(url.port))), ("url.scheme", .text(url.isSecure ? "https" : "http")),
                ]
                var isError = true
                switch result {
                case .response(let response):
                    isError = response.status >= 400
                    attributes.append(("http.response.status_code", .number(response.status)))
                    if isError { attributes.append(("error.type", .text("\(response.status)"))) }
                case .failed(let failure, _): attributes.append(("error.type", .text(failure.rawValue)))
                }
                trace.tracer.add([
                    TraceSpan(
                        context: context, parent: trace.server.span, name: method, kind: .client,
                        start: startedAt + trace.offset, end: Clock.monotonicMicroseconds + trace.offset,
                        attributes: attributes, isError: isError)
                ])
                $current.withValue(trace) { then(result) }
            })
    }
}

extension ExchangeTimes {
    /// Begins work whose calls to other servers are spans below the request.
    func traced(_ work: () -> Void) {
        guard let trace, trace.server.isSampled else { return work() }
        CallTrace.$current.withValue(trace, operation: work)
    }
}
