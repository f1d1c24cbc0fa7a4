import Bytes
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
    /// Always written: an audit trail must be complete.
    private static let unconditional = "audit"

    package init(_ writer: LogWriter) { self.writer = writer }

    /// Sets the minimum level.
    package func use(_ level: LogLevel) { threshold.level.store(level.rank, ordering: .relaxed) }

    /// Whether events of this level are written.
    package func takes(_ level: LogLevel) -> Bool { level.rank >= threshold.level.load(ordering: .relaxed) }

    /// Writes one line: time, level, event name, and members. The level follows from the name; the audit trail is
    /// always written.
    package func write(_ event: String, _ members: [(String, Value)] = []) {
        let level = LogLevel(of: event)
        guard takes(level) || event == EventLog.unconditional else { return }
        var line = JSONWriter()
        line.beginObject()
        line.member("time", Clock.wallSeconds)
        line.member("level", level.rawValue)
        line.member("event", event)
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

    package func flush() { writer.flush() }
}

extension LogLevel {
    /// The level of an event, by its name; defined only here.
    init(of event: String) {
        if LogLevel.errors.contains(event) {
            self = .error
        } else if LogLevel.details.contains(event) {
            self = .debug
        } else {
            let isTrouble = LogLevel.troubles.contains { event.hasSuffix($0) }
            self = isTrouble ? .warning : .info
        }
    }

    private static let errors: Set<String> = [
        "listen_failed", "worker_failed", "reload_failed", "revocation_failed", "handover_failed",
        "store_unavailable",
    ]
    private static let details: Set<String> = ["client_failed"]
    private static let troubles = [
        "_failed", "_ignored", "_lost", "_refused", "_unavailable", "_down", "_left_alone",
    ]
}
