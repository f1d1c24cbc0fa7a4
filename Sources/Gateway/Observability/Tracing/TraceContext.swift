/// A place in a trace (W3C Trace Context, level 1).
struct TraceContext: Equatable, Sendable {
    var high: UInt64
    var low: UInt64
    var span: UInt64
    var isSampled: Bool

    /// A new trace.
    init(isSampled: Bool = false) {
        (high, low) = (.random(in: 1...UInt64.max), .random(in: 1...UInt64.max))
        span = .random(in: 1...UInt64.max)
        self.isSampled = isSampled
    }

    /// The value of `traceparent`; nil for one that is not valid. A later version may have more after the flags.
    init?(_ text: Span<UInt8>) {
        guard text.count >= 55, text[2] == 0x2D, text[35] == 0x2D, text[52] == 0x2D,
            let version = TraceContext.number(text, 0..<2), version != 0xFF,
            version == 0 ? text.count == 55 : text.count == 55 || text[55] == 0x2D,
            let high = TraceContext.number(text, 3..<19), let low = TraceContext.number(text, 19..<35),
            let span = TraceContext.number(text, 36..<52), let flags = TraceContext.number(text, 53..<55),
            high | low != 0, span != 0
        else { return nil }
        (self.high, self.low, self.span, isSampled) = (high, low, span, flags & 1 == 1)
    }

    /// The same trace at a new span.
    var child: TraceContext {
        var child = self
        child.span = .random(in: 1...UInt64.max)
        return child
    }

    /// Hexadecimal digits in lower case, as the field has them.
    private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for i in range {
            switch text[i] {
            case 0x30...0x39: number = number << 4 | UInt64(text[i] - 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(text[i] - 0x57)
            default: return nil
            }
        }
        return number
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    var traceID: String { TraceContext.hexadecimal(high) + TraceContext.hexadecimal(low) }
    var spanID: String { TraceContext.hexadecimal(span) }
    /// The value of `traceparent`.
    var field: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
}
