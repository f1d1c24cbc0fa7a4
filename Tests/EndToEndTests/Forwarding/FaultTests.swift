import Foundation
import TestSupport
import Testing

/// A gateway whose system calls fail as the kernel may (deploy/faults.c): requests may be lost where a connection is, but
/// nothing ends, nothing leaks, and no answer is wrong (GW-15).
@Suite(.tags(.engine), .serialized) struct FaultTests {
    /// Where the library is, and what was logged by it.
    private static let directory = Result { try TemporaryDirectory() }

    /// The library, built once.
    static let library: Result<String, any Error> = Result {
        let path = try directory.get().url.appending(path: "faults.so").path
        let source = Vectors.root.appending(path: "deploy/faults.c").path
        let build = try Program.run(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, source])
        try #require(build.ending == .exit(0), "\(build.errors)")
        return path
    }

    /// What came of the requests of a load.
    private struct Tally: Sendable {
        var right = 0
        /// 502 and 503 that say so, or a connection that ended.
        var lost = 0
        var wrong: [String] = []
    }

    private func fixture(_ faults: String, _ log: String) throws -> Fixture {
        let library = try Self.library.get()
        let fixture = try Fixture(
            environment: [
                "LD_PRELOAD": GatewayProcess.preload(library), "PORTCULLIS_FAULTS": faults,
                "PORTCULLIS_FAULTS_LOG": log,
            ]
        ) { settings in
            settings["upstreams"] = settings["upstreams"]?.replacing("\"}}", with: #"", "idleTimeout": "500ms"}}"#)
            settings["limits"] = #"{"idleTimeout": "2s", "headerTimeout": "2s"}"#
        }
        Self.script(fixture.upstream)
        return fixture
    }

    /// Answers that say what was asked.
    static func script(_ upstream: StubUpstream) {
        upstream.on("/open/up") { request in
            let sum = request.body.reduce(into: 0) { $0 = ($0 &* 31 &+ Int($1)) & 0xffff_ffff }
            return [.reply(body: "\(request.only("X-Number") ?? "") \(request.bodyCount) \(sum)")]
        }
        upstream.on("/open/down") { request in
            let number = request.only("X-Number") ?? ""
            let text = String(repeating: number + " ", count: 5000)
            let chunk = String(text.utf8.count, radix: 16)
            return [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\r\n\(text)\r\n0\r\n\r\n")]
        }
    }

    /// The request with this number, and what is right to answer it with.
    private func request(_ number: Int, _ token: String) -> (method: String, text: String, status: Int, body: String?) {
        let mark = Field(name: "X-Number", value: String(number))
        switch number % 6 {
        case 0, 1:
            return ("GET", RawConnection.request("GET", "/open/\(number)"), 200, "/open/\(number)")
        case 2:
            let body = String(repeating: "\(number),", count: 1 + number % 97 * 100)
            let sum = body.utf8.reduce(into: 0) { $0 = ($0 &* 31 &+ Int($1)) & 0xffff_ffff }
            let text = RawConnection.request("POST", "/open/up", [mark], body: body)
            return ("POST", text, 200, "\(number) \(body.utf8.count) \(sum)")
        case 3:
            return (
                "GET", RawConnection.request("GET", "/open/down", [mark]), 200,
                String(repeating: "\(number) ", count: 5000)
            )
        case 4:
            return ("GET", RawConnection.request("GET", "/inventory/me", [.bearer(token)]), 200, "/inventory/me")
        default:
            return ("GET", RawConnection.request("GET", "/inventory/\(number)"), 401, nil)
        }
    }

    /// Eight clients that send so many requests each, on a connection as long as it lasts.
    private func load(_ fixture: Fixture, _ token: String, each count: Int) throws -> Tally {
        let tally = Monitor(Tally())
        let running = Monitor(8)
        let port = try fixture.gateway.port()
        for client in 0..<8 {
            Thread.detachNewThread {
                var connection: RawConnection?
                for round in 0..<count {
                    let number = client * 100_000 + round
                    let expected = request(number, token)
                    do {
                        let open = try connection ?? RawConnection(port: port)
                        connection = open
                        try open.send(expected.text)
                        let response = try open.readResponse(to: expected.method)
                        let isRight =
                            response.status == expected.status && (expected.body ?? response.text) == response.text
                        let isRefused = [502, 503].contains(response.status) && response.text.contains("\"code\"")
                        tally.withLock { tally in
                            if isRight {
                                tally.right += 1
                            } else if isRefused {
                                tally.lost += 1
                            } else {
                                tally.wrong.append("\(number): \(response.status) \(response.text.prefix(200))")
                            }
                        }
                        if response.only("Connection") == "close" { connection = nil }
                    } catch {
                        connection = nil
                        let isTimeOut = if case SocketError.timedOut = error { true } else { false }
                        tally.withLock { tally in
                            if isTimeOut { tally.wrong.append("\(number): \(error)") } else { tally.lost += 1 }
                        }
                    }
                }
                running.withLock { $0 -= 1 }
            }
        }
        _ = running.wait(.after(.seconds(120))) { $0 == 0 ? true : nil }
        return tally.current
    }

    /// How many descriptors the gateway has open once nothing is under way any more.
    private func settled(_ fixture: Fixture) throws -> Int {
        #expect(fixture.upstream.waitForOpenConnections(0))
        let deadline = Deadline.usual
        var last = 0
        while true {
            let now = try fixture.gateway.program.openDescriptors()
            if now == last || deadline.isPast { return now }
            last = now
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    /// The metrics, asked for until a connection lasts so long.
    private func metrics(_ fixture: Fixture) throws -> Metrics {
        for _ in 0..<50 { if let metrics = try? fixture.gateway.metrics() { return metrics } }
        return try fixture.gateway.metrics()
    }

    private func judge(_ kind: String, seed: Int, toleratesLoss: Bool) throws {
        let log = try Self.directory.get().url.appending(path: "\(kind) \(seed).log").path
        let fixture = try fixture("\(seed):\(kind)", log)
        // By the command line, whose system calls are left alone.
        let token = try fixture.mint("joe")
        _ = try load(fixture, token, each: 30)
        let before = try settled(fixture)
        let warm = try fixture.gateway.program.memory("VmRSS")

        let tally = try load(fixture, token, each: 100)
        #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
        #expect(tally.right + tally.lost == 800, "\(tally.right) right, \(tally.lost) lost")
        #expect(tally.right > 600)
        if !toleratesLoss { #expect(tally.lost == 0) }

        #expect(try settled(fixture) <= before)
        #expect(try Sanitizer.isOn || fixture.gateway.program.memory("VmRSS") - warm < 8 << 10)
        let metrics = try metrics(fixture)
        #expect(metrics.sum("portcullis_requests_in_flight") == 1)
        #expect(metrics.sum("portcullis_connections_open") == 1)
        #expect(try fixture.gateway.stop() == .exit(0))
        let report = try String(contentsOfFile: log, encoding: .utf8)
        #expect(report.contains(/short_read=[1-9].* again=[1-9].* interrupted=[1-9]/), "\(report)")
    }

    @Test("GW-15: harmless kernel conditions have no visible effect", arguments: [1])
    func benign(_ seed: Int) throws { try judge("benign", seed: seed, toleratesLoss: false) }

    @Test("GW-15: lost and refused connections and lack of memory fail only the affected requests", arguments: 1...2)
    func destructive(_ seed: Int) throws { try judge("destructive", seed: seed, toleratesLoss: true) }
}
