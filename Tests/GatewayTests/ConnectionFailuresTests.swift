import Foundation
import Model
import Testing

@testable import Gateway

/// Repeated failures are written once a minute with their number, and many different ones are bounded.
@Suite struct ConnectionFailuresTests {
    /// Milliseconds between two events of one kind.
    private static let pause: Int64 = 60_000

    private func lines(_ body: (ConnectionFailures) -> Void) throws -> [String] {
        let path = NSTemporaryDirectory() + "portcullis-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let log = EventLog(try LogWriter(appendingTo: path))
        body(ConnectionFailures(log))
        log.flush()
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private static let refused = ConnectionFailure("http://a:1", at: "192.0.2.1:1", .connect, "Connection refused")

    @Test func repetitionsAreCounted() throws {
        let written = try lines { failures in
            for time in 0..<100 { failures.note(Self.refused, .upstream("app"), now: Int64(time)) }
            failures.note(Self.refused, .upstream("app"), now: Self.pause)
            failures.note(Self.refused, .upstream("app"), now: 2 * Self.pause)
        }
        #expect(written.count == 3, "\(written)")
        #expect(
            written[0].hasSuffix(
                #""event":"connection_failed","purpose":"upstream","upstream":"app","url":"http://a:1","#
                    + #""address":"192.0.2.1:1","step":"connect","reason":"Connection refused"}"#))
        #expect(written[1].hasSuffix(#","repeated":99}"#) && !written[2].contains("repeated"))
    }

    @Test func otherFailuresAreOthers() throws {
        let others = [
            ConnectionFailure("http://b:1", at: "192.0.2.1:1", .connect, "Connection refused"),
            ConnectionFailure("http://a:1", at: "192.0.2.2:1", .connect, "Connection refused"),
            ConnectionFailure("http://a:1", at: "192.0.2.1:1", .tls, "Connection refused"),
            ConnectionFailure("http://a:1", at: "192.0.2.1:1", .connect, "No route to host"),
        ]
        let written = try lines { failures in
            for failure in [Self.refused] + others { failures.note(failure, .call, now: 0) }
            failures.note(Self.refused, .store, now: 0)
            failures.note(Self.refused, .check("app"), now: 0)
        }
        #expect(written.count == 7)
    }

    @Test func manyKindsAreBounded() throws {
        let written = try lines { failures in
            for time in 0..<3 {
                for number in 0..<1000 {
                    failures.note(
                        ConnectionFailure("http://\(number)", .connect, "x"), .call,
                        now: Int64(time) * Self.pause)
                }
            }
        }
        #expect(written.count == 3 * 257)
    }
}
