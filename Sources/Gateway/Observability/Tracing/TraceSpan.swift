import Bytes

/// One operation of a trace, with the names of OpenTelemetry's conventions for HTTP.
struct TraceSpan: Sendable {
    enum Kind: Int, Sendable {
        case server = 2
        case client = 3
    }

    enum Value: Sendable {
        case text(String)
        case number(Int)
    }

    var context: TraceContext
    /// The span above; 0 for none.
    var parent: UInt64
    var name: String
    var kind: Kind
    /// Microseconds since 1970.
    var start: Int64
    var end: Int64
    var attributes: [(name: String, value: Value)]
    var isError = false

    /// Appends the span as OTLP's JSON encoding has it.
    func append(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("traceId", context.traceID)
            object.member("spanId", context.spanID)
            if parent != 0 {
                var above = context
                above.span = parent
                object.member("parentSpanId", above.spanID)
            }
            object.member("name", name)
            object.member("kind", kind.rawValue)
            object.member("startTimeUnixNano", "\(start)000")
            object.member("endTimeUnixNano", "\(max(start, end))000")
            object.name("attributes")
            TraceSpan.append(attributes, to: &object)
            // A server's span of a refused client is no error: unset.
            object.member("status") { status in if isError { status.member("code", 2) } }
        }
    }

    static func append(_ attributes: [(name: String, value: Value)], to writer: inout JSONWriter) {
        writer.beginArray()
        for (name, value) in attributes {
            writer.object { object in
                object.member("key", name)
                object.member("value") {
                    switch value {
                    case .text(let text): $0.member("stringValue", text)
                    case .number(let number): $0.member("intValue", "\(number)")
                    }
                }
            }
        }
        writer.endArray()
    }
}
