import Bytes
import Identity
import Model
import Reactor
import Synchronization

/// The operational log: a JSON line on standard error per event. Off the hot path.
package struct EventLog: Sendable {
    package enum Value: Sendable {
        case text(String)
        case texts([String])
        case number(Int)
        case flag(Bool)
    }

    /// The minimum level, shared by all copies of a log.
    private final class Threshold: Sendable {
        let level = Atomic(LogLevel.info.rank)
    }

    private let writer: LogWriter
    private let threshold = Threshold()
    private let moves = Repetitions<String>()

    package init(_ writer: LogWriter) { self.writer = writer }

    /// Sets the minimum level.
    package func use(_ level: LogLevel) { threshold.level.store(level.rank, ordering: .relaxed) }

    /// Whether events of this level are written.
    package func takes(_ level: LogLevel) -> Bool { level.rank >= threshold.level.load(ordering: .relaxed) }

    /// Writes one line: time, level, event name, and members. Members that the event does not declare are an error of the
    /// program. The audit trail is always written, since it must be complete.
    package func write(_ event: LogEvent, _ members: [(String, Value)] = []) {
        let declaration = event.declaration
        guard takes(declaration.level) || event == .audit else { return }
        assert(members.allSatisfy { declaration.fields.contains($0.0) }, "undeclared member of \(event): \(members)")
        var line = JSONWriter()
        line.beginObject()
        line.member("time", seconds: Clock.wallMilliseconds)
        line.member("level", declaration.level.rawValue)
        line.member("event", event.rawValue)
        for (name, value) in members {
            switch value {
            case .text(let text): line.member(name, text)
            case .texts(let texts): line.member(name, texts)
            case .number(let number): line.member(name, number)
            case .flag(let flag): line.member(name, flag)
            }
        }
        line.endObject()
        line.endLine()
        _ = writer.write(line.bytes)
    }

    /// Writes that a login began under a host; a repeated one once a minute, since any client can name one.
    package func write(_ move: LoginMove, requestID: String) {
        guard let repeated = moves.note(move.host) else { return }
        write(
            .loginHostForeign,
            [
                ("host", .text(move.host)), ("base_url", .text("\(move.home)")), ("status", .number(move.status)),
                ("request_id", .text(requestID)),
            ] + (repeated > 0 ? [("repeated", .number(repeated))] : []))
    }

    package func flush() { writer.flush() }
}
