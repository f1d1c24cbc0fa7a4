import Foundation
import Glibc
import Testing

/// Issue B: many streams at a time with the tools of nghttp2. deploy/load does the same with more of them.
@Suite(.tags(.engine), .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/h2load")), .serialized)
struct HTTP2LoadTests {
    /// A fixture in front of `portcullis echo`, which counts.
    private struct Bench {
        let echo: Program
        let address: String
        let fixture: SecureFixture

        init() throws {
            echo = try Program(GatewayProcess.binary, ["echo", "--listen", "127.0.0.1:0"])
            let address = try #require(
                echo.wait(.errors) { $0.lazy.compactMap { JSONText($0)["address"].string }.first },
                "\(echo.lines(.errors))")
            fixture = try SecureFixture { $0["upstreams"] = #"{"stub": {"url": "http://\#(address)"}}"# }
            self.address = address
        }

        /// How many requests have come to the server, this question not counted.
        func answered() throws -> Int {
            let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
            let response = try RawConnection.once(port: port, "GET", "/")
            return try #require(JSONText(response.text)["requests"].integer, "\(response.text)") - 1
        }
    }

    @Test("h2load: every request succeeds and reaches the upstream", arguments: ["secure", "public"])
    func load(_ listener: String) throws {
        let bench = try Bench()
        let token = try bench.fixture.mint()
        let before = try bench.answered()
        let result = try Program.run(
            "/usr/bin/h2load",
            [
                "-n", "20000", "-c", "10", "-m", "32", "-H", "Authorization: Bearer \(token)",
                "\(try bench.fixture.url(listener))/inventory/me",
            ], .after(.seconds(240)))
        #expect(result.ending == .exit(0), "\(result.errors)")
        #expect(
            result.output.contains("20000 total, 20000 started, 20000 done, 20000 succeeded, 0 failed, 0 errored"),
            "\(result.output)")
        #expect(result.output.contains("status codes: 20000 2xx, 0 3xx, 0 4xx, 0 5xx"))
        #expect(result.output.contains("Application protocol: h2\(listener == "public" ? "c" : "")"))
        // The first question counts too by now.
        #expect(try bench.answered() - before - 1 == 20_000)
        #expect(try bench.fixture.gateway.metrics().sum("portcullis_http2_connections_total") == 10)
        let speed = result.output.split(separator: "\n").first { $0.hasPrefix("finished") } ?? ""
        print("HTTP2LoadTests: \(listener): \(speed)")
    }

    /// Issue B, 6. h2load takes on a request for each answer, and counts those that it has not sent when it hears GOAWAY as
    /// failed. It opens no other connection: each of its runs ends with a hand-over.
    @Test("h2load: every request started during hand-overs is answered")
    func handOvers() throws {
        let bench = try Bench()
        let processes = HandedOver(bench.fixture.gateway)
        let url = "\(try bench.fixture.url())/open/ping"
        for _ in 0..<5 {
            let before = try bench.answered()
            let load = try Program("/usr/bin/h2load", ["-n", "1000000", "-c", "10", "-m", "8", url])
            while load.isRunning, try bench.answered() < before + 1000 {}
            try processes.next()
            #expect(load.waitForEnd(.after(.seconds(60))) == .exit(0))
            let report = load.lines(.output).joined(separator: "\n")
            let started = try #require(report.firstMatch(of: /total, (\d+) started/)?.1, "\(report)")
            let good = try #require(report.firstMatch(of: /codes: (\d+) 2xx, 0 3xx, 0 4xx, 0 5xx/)?.1, "\(report)")
            #expect(started == good && started != "1000000", "\(report)")
        }
        try processes.stop()
    }

    @Test("h2load: requests without credentials never reach the upstream")
    func refused() throws {
        let bench = try Bench()
        let before = try bench.answered()
        let result = try Program.run(
            "/usr/bin/h2load",
            ["-n", "2000", "-c", "10", "-m", "32", "\(try bench.fixture.url())/inventory/me"], .after(.seconds(120)))
        #expect(result.output.contains("status codes: 0 2xx, 0 3xx, 2000 4xx, 0 5xx"), "\(result.output)")
        #expect(try bench.answered() - before - 1 == 0)
    }

    @Test("nghttp: concurrent requests on one connection are answered")
    func severalURLs() throws {
        let fixture = try SecureFixture()
        let gate = Gate()
        // The slow one does not hold the others up.
        fixture.upstream.on("/open/slow") { _ in [.wait(gate), .reply(body: "slow")] }
        fixture.upstream.on("/open/c") { _ in
            gate.open()
            return [.reply(body: String(repeating: "c", count: 300_000))]
        }
        let url = try fixture.url()
        let result = try Program.run(
            "/usr/bin/nghttp",
            ["-ans", "--no-verify-peer"] + ["slow", "a", "b", "c"].map { "\(url)/open/\($0)" } + ["\(url)/inventory/me"]
        )
        #expect(result.ending == .exit(0), "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.contains("/open/") || $0.contains("/inventory/") }
        let statuses = lines.map { line in
            let words = line.split(separator: " ")
            return "\(words.last ?? "") \(words.dropLast(2).last ?? "")"
        }
        #expect(
            Set(statuses) == ["/open/slow 200", "/open/a 200", "/open/b 200", "/open/c 200", "/inventory/me 401"],
            "\(result.output)")
        #expect(try fixture.gateway.metrics().sum("portcullis_http2_connections_total") == 1)
    }
}
