import Foundation
import Testing

/// Issue B: frames that no good client sends, each with the answer it must get, while another client goes on undisturbed
/// and the memory stays where it was. RFC 9113; peers.md section 5.
///
/// Skipped without `PORTCULLIS_PYTHON`, an interpreter with hyperframe, hpack and h2; `deploy/test` makes one.
@Suite(.tags(.engine), .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] != nil), .serialized)
struct HTTP2HostileTests {
    /// What came of each case of a set.
    private struct Outcomes {
        var answers: [String: String] = [:]
        /// How many requests of the other client were answered well, how many were not, and the slowest in milliseconds.
        var bystander: [Int] = []
    }

    private static func run(_ set: String, against fixture: SecureFixture) throws -> Outcomes {
        let python = ProcessInfo.processInfo.environment["PORTCULLIS_PYTHON"] ?? ""
        let script = Vectors.root.appending(path: "Tests/Interop/http2_hostile.py").path
        let result = try Program.run(
            python, [script, set, "127.0.0.1:\(fixture.gateway.port("secure"))", fixture.file("tls/cert.pem")],
            .after(.seconds(240)))
        #expect(result.ending == .exit(0), "\(result.errors)")
        var outcomes = Outcomes()
        for line in result.output.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1).map { String($0) }
            guard words.count == 2 else { continue }
            if words[0] == "bystander" {
                outcomes.bystander = words[1].split(separator: " ").compactMap { Int($0) }
            } else {
                outcomes.answers[words[0]] = words[1]
            }
        }
        try #require(outcomes.bystander.count == 3, "\(result.output)")
        return outcomes
    }

    /// The other client has got an answer to each of its requests, and none took long, on a machine with other work too.
    private func expectUndisturbed(_ outcomes: Outcomes, _ fixture: SecureFixture) {
        let (good, bad, slowest) = (outcomes.bystander[0], outcomes.bystander[1], outcomes.bystander[2])
        #expect(good >= 20 && bad == 0)
        #expect(slowest < 3000)
        #expect(fixture.gateway.program.isRunning, "\(fixture.gateway.everythingWritten)")
        print("HTTP2HostileTests: \(good) requests beside the hostile client, the slowest \(slowest) ms")
    }

    @Test("RFC 9113 8.1.1: a malformed request is refused, and never forwarded")
    func malformed() throws {
        let fixture = try SecureFixture()
        let outcomes = try Self.run("malformed", against: fixture)
        // The others are errors of their stream.
        let answered = [
            "path_fragment": "400", "scheme_other": "400", "authority_userinfo": "400", "authority_two": "400",
            "host_conflict": "400", "value_line_feed": "400", "value_return": "400", "value_zero": "400",
            "value_leading_space": "400", "name_empty": "400", "name_space": "400", "name_colon": "400",
            "name_line_feed": "400", "connect": "501",
        ]
        #expect(outcomes.answers.count == 49)
        for (name, outcome) in outcomes.answers { #expect(outcome == answered[name, default: "reset 1"], "\(name)") }
        #expect(Set(fixture.upstream.requests.map(\.path)) == ["/open/good"])
        expectUndisturbed(outcomes, fixture)
    }

    @Test("RFC 9113 4 to 6: an invalid frame ends its connection or stream with the right code")
    func frames() throws {
        let fixture = try SecureFixture()
        let outcomes = try Self.run("frames", against: fixture)
        let answers = [
            // Of a stream.
            "window_overflow_of_stream": "reset 3",
            // What is not known is ignored (section 4.1 and 6.5.2).
            "unknown_frame_then_request": "200", "unknown_setting_then_request": "200",
            // FRAME_SIZE_ERROR
            "frame_too_large": "goaway 6", "priority_short": "goaway 6", "reset_short": "goaway 6",
            "settings_short": "goaway 6", "settings_ack_with_payload": "goaway 6", "ping_short": "goaway 6",
            "window_update_short": "goaway 6",
            // STREAM_CLOSED
            "headers_after_end": "goaway 5", "data_after_end": "goaway 5",
            // COMPRESSION_ERROR
            "hpack_no_such_index": "goaway 9", "hpack_endless_integer": "goaway 9", "hpack_bad_huffman": "goaway 9",
            "hpack_table_too_large": "goaway 9", "hpack_cut_off": "goaway 9",
            // FLOW_CONTROL_ERROR
            "setting_window_too_large": "goaway 3", "window_overflow": "goaway 3",
        ]
        #expect(outcomes.answers.count == 41)
        for (name, outcome) in outcomes.answers { #expect(outcome == answers[name, default: "goaway 1"], "\(name)") }
        #expect(fixture.upstream.requests("/open/hostile").allSatisfy { $0.body.isEmpty })
        expectUndisturbed(outcomes, fixture)
        // Each ended connection has its reason in the metrics, whether the library found the error or we did.
        let ended = outcomes.answers.values.filter { $0.hasPrefix("goaway") }.count
        let reasons = [
            "not_http2", "h2_protocol_error", "h2_frame_size", "h2_stream_closed", "h2_compression", "h2_flow_control",
        ]
        let counted = try reasons.map { try fixture.denied($0) }
        #expect(counted.reduce(0, +) == Double(ended), "\(zip(reasons, counted).map { "\($0) \($1)" })")
    }

    @Test("floods end with ENHANCE_YOUR_CALM, and their memory is freed")
    func floods() throws {
        let fixture = try SecureFixture()
        _ = try fixture.curl(["--http2"], "/open/x")
        let before = try fixture.gateway.program.memory("VmRSS")
        let outcomes = try Self.run("floods", against: fixture)
        #expect(outcomes.answers.count == 12)
        for (name, outcome) in outcomes.answers { #expect(outcome == "goaway 11", "\(name)") }
        expectUndisturbed(outcomes, fixture)
        let (peak, after) = try (
            fixture.gateway.program.memory("VmHWM"), fixture.gateway.program.memory("VmRSS")
        )
        print("HTTP2HostileTests: \(before) KiB before the floods, \(peak) at most, \(after) behind them")
        // Hundreds of thousands of frames, and a field list that would be 32 MB: 16 MiB at most, and half of it for good.
        if !Sanitizer.isOn {
            #expect(peak - before < 16 << 10)
            #expect(after - before < 8 << 10)
        }
        for reason in ["reset", "provoked_reset", "settings", "ping", "priority", "window_update", "empty_frame"] {
            #expect(try fixture.denied("h2_\(reason)_flood") >= 1, "\(reason)")
        }
        #expect(try fixture.denied("h2_block_too_large") + fixture.denied("h2_continuation_flood") == 3)
    }
}
