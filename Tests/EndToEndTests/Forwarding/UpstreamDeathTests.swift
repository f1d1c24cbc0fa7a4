import Foundation
import Glibc
import Testing

/// Upstreams that die, freeze or stop in the middle of an answer under load: only the requests that were with them get an
/// error, the right one, and everything is counted (GW-08, GW-11).
@Suite(.tags(.engine)) struct UpstreamDeathTests {
    /// What clients saw: answers by status and reason, cut ones apart.
    private struct Tally: Sendable, Equatable {
        var good = 0
        var errors: [String: Int] = [:]
        var cut = 0
        var wrong: [String] = []
        var failed: Int { errors.values.reduce(0, +) }
    }

    /// Clients that send one request after the other until `stop`.
    private final class Load: Sendable {
        private let tally = Monitor(Tally())
        private let ended = Monitor(false)
        private let running: Monitor<Int>

        init(_ port: UInt16, clients: Int, _ target: @escaping @Sendable (Int) -> String) {
            running = Monitor(clients)
            for client in 0..<clients {
                Thread.detachNewThread { [tally, ended, running] in
                    var connection: RawConnection?
                    var round = client
                    while !ended.current {
                        round += clients
                        do {
                            let open = try connection ?? RawConnection(port: port)
                            connection = open
                            let response = try open.exchange("GET", target(round))
                            tally.withLock { Self.count(response, &$0) }
                        } catch {
                            connection = nil
                            tally.withLock { tally in
                                switch error as? SocketError {
                                case .ended, .reset: tally.cut += 1
                                default: tally.wrong.append("\(error)")
                                }
                            }
                        }
                    }
                    running.withLock { $0 -= 1 }
                }
            }
        }

        private static func count(_ response: Response, _ tally: inout Tally) {
            if response.status == 200 {
                tally.good += 1
            } else if let code = JSONText(response.text)["code"].string {
                tally.errors["\(response.status) \(code)", default: 0] += 1
            } else {
                tally.wrong.append("\(response.status) \(response.text.prefix(100))")
            }
        }

        var current: Tally { tally.current }

        /// Waits until the tally is as wanted.
        func wait(_ condition: (Tally) -> Bool) -> Bool { tally.wait { condition($0) ? true : nil } ?? false }

        func stop() -> Tally {
            ended.withLock { $0 = true }
            _ = running.wait { $0 == 0 ? true : nil }
            return tally.current
        }
    }

    /// `portcullis echo` on a port of its own, which it gets again when it is started anew.
    private func echo(port: UInt16 = 0) throws -> (program: Program, port: UInt16) {
        let program = try Program(GatewayProcess.binary, ["echo", "--listen", "127.0.0.1:\(port)"])
        let port = program.wait(.errors) { lines in
            lines.lazy.map { JSONText($0) }.first { $0["event"].string == "listening" }?["address"].string
                .flatMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }
        }
        return (program, try #require(port))
    }

    private func gateway(_ url: String) throws -> GatewayProcess {
        let settings = """
            {
              "baseUrl": "http://gw.example.com", "workers": 2,
              "listeners": [{"name": "public", "address": "127.0.0.1", "port": 0}],
              "admin": {"address": "127.0.0.1", "port": 0},
              "upstreams": {"echo": {"url": "\(url)", "responseTimeout": "500ms", "connectTimeout": "500ms"}},
              "routes": [{"path": "/**", "upstream": "echo", "public": true}]
            }
            """
        return try GatewayProcess(["gateway.json": settings])
    }

    /// Counters and log agree with what the clients saw.
    private func check(_ gateway: GatewayProcess, _ tally: Tally) throws {
        #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
        let metrics = try gateway.metrics()
        for status in [200, 502, 504] {
            let seen = tally.errors.filter { $0.key.hasPrefix("\(status)") }.values.reduce(0, +)
            // A cut response had begun with 200.
            let expected = status == 200 ? tally.good + tally.cut : seen
            let counted = metrics.sum("portcullis_requests_total", ["route": "/**", "code": String(status)]) ?? 0
            #expect(counted == Double(expected), "\(status)")
        }
        let errors = metrics.sum("portcullis_upstream_errors_total") ?? 0
        #expect(errors == Double(tally.failed + tally.cut))
        for (key, count) in tally.errors where tally.cut == 0 {
            let reason = String(key.dropFirst(4))
            #expect(metrics.sum("portcullis_upstream_errors_total", ["reason": reason]) == Double(count), "\(key)")
        }
        #expect(metrics.sum("portcullis_requests_in_flight") == 1)
        try gateway.stop()
        let lines = gateway.program.lines(.output).map { JSONText($0) }.filter { $0["route"].string == "/**" }
        #expect(lines.count == tally.good + tally.failed + tally.cut)
    }

    @Test("GW-08: an upstream killed under load causes only 502, until it is back")
    func killed() throws {
        let first = try echo()
        let gateway = try gateway("http://127.0.0.1:\(first.port)")
        let load = Load(try gateway.port(), clients: 16) { $0.isMultiple(of: 4) ? "/slow?delay=20" : "/x\($0)" }
        #expect(load.wait { $0.good > 300 })
        first.program.signal(SIGKILL)
        #expect(load.wait { $0.failed > 100 })
        let second = try echo(port: first.port)
        let sofar = load.current.good
        #expect(load.wait { $0.good > sofar + 300 })
        let tally = load.stop()
        #expect(
            Set(tally.errors.keys).isSubset(of: ["502 upstream_connect_failed", "502 upstream_connection_lost"]),
            "\(tally.errors)")
        #expect(tally.cut == 0)
        try check(gateway, tally)
        withExtendedLifetime(second) {}
    }

    @Test("GW-08: an upstream frozen under load causes only 504, until it continues")
    func frozen() throws {
        let echo = try echo()
        let gateway = try gateway("http://127.0.0.1:\(echo.port)")
        let load = Load(try gateway.port(), clients: 16) { "/x\($0)" }
        #expect(load.wait { $0.good > 300 })
        echo.program.signal(SIGSTOP)
        #expect(load.wait { $0.failed >= 32 })
        echo.program.signal(SIGCONT)
        let sofar = load.current.good
        #expect(load.wait { $0.good > sofar + 300 })
        let tally = load.stop()
        #expect(Set(tally.errors.keys) == ["504 upstream_response_timeout"], "\(tally.errors)")
        #expect(tally.cut == 0)
        try check(gateway, tally)
    }

    @Test("GW-08: responses cut under load affect only their own clients")
    func cut() throws {
        let upstream = try StubUpstream()
        defer { upstream.stop() }
        upstream.on("/length") { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\nshort"), .close] }
        upstream.on("/chunks") { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), .close]
        }
        upstream.on("/head") { _ in [.send("HTTP/1.1 200 OK\r\nContent-"), .close] }
        upstream.on("/reset") { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\nshort"), .reset] }
        let gateway = try gateway(upstream.url)
        let paths = ["/length", "/chunks", "/head", "/reset"]
        let load = Load(try gateway.port(), clients: 16) { $0.isMultiple(of: 3) ? paths[$0 / 3 % 4] : "/x\($0)" }
        #expect(load.wait { $0.cut > 100 && $0.good > 300 })
        let tally = load.stop()
        // A reset may overtake the head of the answer.
        #expect(Set(tally.errors.keys) == ["502 upstream_connection_lost"], "\(tally.errors)")
        try check(gateway, tally)
        let asked = upstream.requests.count
        #expect(asked == tally.good + tally.failed + tally.cut)
    }
}
