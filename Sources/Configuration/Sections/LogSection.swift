import Bytes
import Declaration
import Model

/// Destination and details of the access log, and the level of the event log.
package struct LogSection: Sendable {
    package enum Access: Equatable, Sendable {
        case standardOutput
        case off
        /// Absolute path of a file that is appended to.
        case file(String)
    }

    package var access: Access
    package var fields: AccessLogFields
    package var sample: AccessLogSample
    package var level: LogLevel
    /// Where spans of requests are sent; nil for nowhere.
    package var tracing: TracingEntry?

    static func read(_ object: inout ObjectReader) -> LogSection {
        LogSection(
            access: object.value(
                "access", destination.atStart(), default: .standardOutput,
                "Where the access log is written: `stdout`, `off` or `file:PATH`."),
            fields: object.value("fields", fields, default: [], "Further fields of the access log."),
            sample: AccessLogSample(
                successes: object.value(
                    "sample", rate, default: 1,
                    "One of how many successful requests is in the access log, chosen at random; 1 means all."),
                failures: object.value(
                    "sampleFailures", rate, default: 1,
                    """
                    The same for requests that were refused, failed or ended early: those with a status of 400 or more, and \
                    streams that the gateway cut.
                    """)),
            level: object.value(
                "level", .choice, default: LogLevel.info, "The least severe events that are logged on standard error."))
    }

    func tracing(_ tracing: TracingEntry?) -> LogSection {
        var section = self
        section.tracing = tracing
        return section
    }

    private static let rate = Shape<Int>.integer(1...1_000_000, "a number of requests")

    private static let fields = Shape.texts(.list(.choice(AccessLogFields.names))) { field in
        field.names("an array of fields") { $0.choice(AccessLogFields.names) }
    }
    .map({ AccessLogFields(named: $0) }, back: { $0.isEmpty ? [] : nil })

    private static let destination = Shape(
        .pattern("^(stdout|off|file:.+)$"), write: { $0 == .standardOutput ? .text("stdout") : nil },
        read: { access($0) })

    private static func access(_ field: Field) -> Access? {
        let expected = "\"stdout\", \"off\" or \"file:path\""
        guard let text = field.text(expected) else { return nil }
        switch text {
        case "stdout": return .standardOutput
        case "off": return .off
        case _ where text.hasPrefix("file:") && text.utf8.count > 5:
            return .file(field.findings.path(of: String(text.dropFirst(5)), isInput: false))
        default:
            return field.invalid(expected, suggestion: Suggestion.nearest(to: text, among: ["stdout", "off"]))
        }
    }
}
