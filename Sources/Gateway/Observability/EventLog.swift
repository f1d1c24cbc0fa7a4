import Bytes
import Reactor

/// The operational log: a JSON line on standard error for each thing an operator wants to know. Off the hot path.
package struct EventLog: Sendable {
    package enum Value: Sendable {
        case text(String)
        case texts([String])
        case number(Int)
        case flag(Bool)
    }

    private let writer: LogWriter

    package init(_ writer: LogWriter) { self.writer = writer }

    /// Writes one line: the time, the event's name, and its members.
    package func write(_ event: String, _ members: [(String, Value)] = []) {
        var line = JSONWriter()
        line.beginObject()
        line.member("time", Clock.wallSeconds)
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
