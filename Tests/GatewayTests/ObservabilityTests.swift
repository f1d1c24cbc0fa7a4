import Bytes
import Foundation
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Counters, their text, the access log and the names of reasons.
@Suite struct ObservabilityTests {
    static func metrics(_ routes: [String], status: Int = 200, times: Int = 1, microseconds: Int64 = 700)
        -> WorkerMetrics
    {
        var metrics = WorkerMetrics(routeNames: [])
        metrics.routes = routes.map { name in
            let counter = RouteCounter(name: name)
            for _ in 0..<times { counter.count(status: status, microseconds: microseconds) }
            return counter.report
        }
        return metrics
    }

    // MARK: Counters

    @Test func workersAddUp() {
        var sum = Self.metrics(["a", "b", ""], times: 2)
        sum.reasons = [.rateLimited: 1, .overloaded: 2]
        sum.connectionsOpen = 4
        var other = Self.metrics(["a", "b", ""], status: 404, times: 3)
        other.reasons = [.rateLimited: 5, .unknownHost: 7]
        other.connectionsOpen = 6
        other.upstreamErrors[1] = 2
        sum.add(other)
        #expect(sum.routes.map(\.name) == ["a", "b", ""])
        #expect(sum.routes[0].statuses[200] == 2 && sum.routes[0].statuses[404] == 3)
        #expect(sum.routes[1].durations.reduce(0, +) == 5)
        #expect(sum.routes[2].durationSum == 5 * 700)
        #expect(sum.reasons == [.rateLimited: 6, .overloaded: 2, .unknownHost: 7])
        #expect(sum.connectionsOpen == 10 && sum.upstreamErrors[1] == 2)
    }

    /// In the middle of a reload workers know different routes, in different places.
    @Test func workersWithOtherRoutesAddUp() {
        var sum = Self.metrics(["a", "b", ""])
        sum.add(Self.metrics(["c", "b", "a", ""], times: 10))
        let totals = Dictionary(uniqueKeysWithValues: sum.routes.map { ($0.name, $0.statuses[200]) })
        #expect(totals == ["a": 11, "b": 11, "": 11, "c": 10])
    }

    @Test(arguments: [
        (0, 0), (500, 0), (501, 1), (1_000, 1), (1_001, 2), (2_500, 2), (10_000_000, 12), (10_000_001, 13),
        (Int64.max, 13), (-1, 0),
    ])
    func durationsFallIntoTheirBucket(_ microseconds: Int64, _ bucket: Int) {
        #expect(WorkerMetrics.bucket(of: microseconds) == bucket)
    }

    @Test func aStatusOutsideIsCountedNowhere() {
        let counter = RouteCounter(name: "a")
        for status in [-1, 600, 1_000] { counter.count(status: status, microseconds: 1) }
        #expect(counter.report.statuses.allSatisfy { $0 == 0 })
    }

    // MARK: The page

    static let facts = PrometheusText.Facts(
        issued: IssuedTokenStore().counters, reloads: SharedState.ReloadCounters(), revocations: 1,
        store: RevocationFollower.Report(
            kind: "sqlite", isCurrent: true, refuses: false, age: 125, succeeded: 5, failed: 6),
        blockingWaiting: 2, uptimeSeconds: 3, workers: 4, engine: "epoll")

    static func page(_ metrics: WorkerMetrics) -> [String] {
        String(decoding: PrometheusText.render(metrics, facts), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
    }

    /// Text format 0.0.4: HELP and TYPE once ahead of the samples of a family, every sample of that family together.
    @Test func everyLineHasTheFormOfTheFormat() throws {
        var metrics = Self.metrics(["api", "odd \"name\"\\\n\r\nx", ""], times: 3)
        metrics.endpoints = Self.metrics(["token", "jwks"]).routes
        let lines = Self.page(metrics)
        #expect(lines.last == "", "the last line ends too")
        var types: [String: String] = [:]
        var current = ""
        var seen: Set<String> = []
        for line in lines.dropLast() {
            if let match = line.wholeMatch(of: /# HELP ([a-z][a-z0-9_]+) [^\r]+/) {
                #expect(types[String(match.1)] == nil, "\(line)")
                current = String(match.1)
            } else if let match = line.wholeMatch(of: /# TYPE ([a-z][a-z0-9_]+) (counter|gauge|histogram|summary)/) {
                #expect(String(match.1) == current)
                types[current] = String(match.2)
            } else {
                let sample =
                    /([a-z][a-z0-9_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (-?[0-9.]+(?:e[-+]?[0-9]+)?)/
                let match = try #require(line.wholeMatch(of: sample), "\(line.debugDescription)")
                let name = String(match.1)
                let isSpread = types[current] == "histogram" || types[current] == "summary"
                let base = isSpread ? /_(bucket|sum|count)$/ : nil
                let family = base.map { name.replacing($0, with: "") } ?? name
                #expect(family == current, "\(line)")
                if types[current] == "counter" { #expect(name.hasSuffix("_total"), "\(line)") }
                let series = name + String(match.2 ?? "")
                #expect(seen.insert(series).inserted, "\(series) twice")
            }
        }
        #expect(types.count > 20)
    }

    @Test func theHistogramIsCumulative() throws {
        let counter = RouteCounter(name: "api")
        for microseconds: Int64 in [100, 700, 700, 3_000, 20_000_000] {
            counter.count(status: 200, microseconds: microseconds)
        }
        var metrics = WorkerMetrics(routeNames: [])
        metrics.routes = [counter.report]
        let lines = Self.page(metrics)
        let buckets = lines.compactMap { line in
            line.wholeMatch(of: /.*_bucket\{route="api",le="([^"]+)"\} (\d+)/).map { (String($0.1), Int($0.2) ?? -1) }
        }
        #expect(buckets.count == WorkerMetrics.durationBounds.count + 1)
        #expect(buckets.map(\.1) == buckets.map(\.1).sorted())
        #expect(buckets.first?.1 == 1 && buckets[1].1 == 3)
        #expect(buckets.last?.0 == "+Inf" && buckets.last?.1 == 5)
        let bounds = buckets.dropLast().compactMap { Double($0.0) }
        #expect(bounds == WorkerMetrics.durationBounds.map { Double($0) / 1_000_000 })
        #expect(lines.contains("portcullis_request_duration_seconds_count{route=\"api\"} 5"))
        #expect(lines.contains("portcullis_request_duration_seconds_sum{route=\"api\"} 20.0045"))
    }

    /// The gateway's own endpoints are distinguished, and from requests that nothing here answers.
    @Test func endpointsHaveNames() {
        var metrics = Self.metrics(["api", ""])
        metrics.endpoints = Self.metrics(["token"], times: 2).routes
        var other = Self.metrics(["api", ""])
        other.endpoints = Self.metrics(["jwks", "token"], times: 3).routes
        metrics.add(other)
        let lines = Self.page(metrics)
        #expect(lines.contains("portcullis_requests_total{route=\"\",endpoint=\"token\",code=\"200\"} 5"))
        #expect(lines.contains("portcullis_requests_total{route=\"\",endpoint=\"jwks\",code=\"200\"} 3"))
        #expect(lines.contains("portcullis_requests_total{route=\"\",code=\"200\"} 2"))
        #expect(lines.contains("portcullis_request_duration_seconds_count{route=\"\",endpoint=\"token\"} 5"))
    }

    /// What monitoring looks for in every process.
    @Test func theProcessTellsOfItself() throws {
        var facts = Self.facts
        facts.version = "1.2.3"
        facts.figures = ProcessFigures.current(startedAt: 1_700_000_000)
        let text = String(decoding: PrometheusText.render(Self.metrics([""]), facts), as: UTF8.self)
        #expect(text.contains("portcullis_build_info{version=\"1.2.3\"} 1\n"))
        #expect(text.contains("process_start_time_seconds 1700000000\n"))
        func value(_ name: String) throws -> Double {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") }, "\(name)")
            return try #require(Double(line.dropFirst(name.count + 1)), "\(line)")
        }
        #expect(try value("process_cpu_seconds_total") > 0)
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        #expect(try value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"))
        let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect(try abs(value("process_open_fds") - Double(own)) < 50)
        #expect(try value("process_max_fds") >= value("process_open_fds"))
    }

    @Test func durationsOfIssuersAreSummaries() {
        var facts = Self.facts
        facts.issuers = [IssuerGate(name: "oam").report]
        let text = String(decoding: PrometheusText.render(Self.metrics([""]), facts), as: UTF8.self)
        #expect(text.contains("# TYPE portcullis_issuer_request_duration_seconds summary\n"))
        #expect(text.contains("portcullis_issuer_request_duration_seconds_sum{issuer=\"oam\"} 0.0\n"))
        #expect(text.contains("portcullis_issuer_request_duration_seconds_count{issuer=\"oam\"} 0\n"))
    }

    // MARK: Events

    @Test func eventsAreLoggedByTheirLevel() throws {
        let path = NSTemporaryDirectory() + "portcullis-\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try LogWriter(appendingTo: path)
        let log = EventLog(writer)
        let copy = log
        let events: [LogEvent] = [.clientFailed, .reloaded, .serverDown, .keysFailed, .reloadFailed, .audit]
        for level in [nil, LogLevel.debug, .info, .warning, .error] {
            if let level { copy.use(level) }
            for event in events { log.write(event) }
            log.write(.ready)
            log.use(.info)
            log.write(.stopped)
        }
        writer.flush()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n").map { line in
            line.wholeMatch(of: /\{"time":\d+\.\d{3},"level":"(.*)","event":"(.*)"\}/).map { "\($0.1) \($0.2)" }
                ?? "\(line)"
        }
        let blocks = lines.split(separator: "info stopped").map { Array($0) }
        let all = [
            "debug client_failed", "info reloaded", "warning server_down", "warning keys_failed", "error reload_failed",
            "info audit", "info ready",
        ]
        let fromInfo = Array(all[1...])
        #expect(
            blocks == [
                fromInfo, all, fromInfo,
                ["warning server_down", "warning keys_failed", "error reload_failed", "info audit"],
                ["error reload_failed", "info audit"],
            ])
    }

    @Test("each field of an event is in snake case, and has one meaning")
    func eventFields() {
        let used = Set(LogEvent.allCases.flatMap(\.declaration.fields))
        let names = LogEvent.members.map(\.name)
        #expect(Set(names) == used, "\(used.symmetricDifference(names).sorted())")
        #expect(names == names.sorted() && Set(names).count == names.count)
        for name in names { #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(name)") }
        #expect(Set(LogEvent.members.map(\.meaning)).count == names.count)
    }

    // MARK: Reasons

    @Test func familiesHaveAReasonForEachFailure() {
        #expect(Set(UpstreamFailure.allCases.map(\.reason)).count == UpstreamFailure.allCases.count)
        #expect(Set(HTTPParseError.allCases.map(\.reason)).count == HTTPParseError.allCases.count)
        #expect(Set(H2Failure.allCases.map(\.reason)).count == H2Failure.allCases.count)
    }

    // MARK: Admin

    @Test(arguments: [
        ("/healthz", AdminResource.health), ("/livez", .health), ("/admin/health", .health), ("/readyz", .readiness),
        ("/admin/ready", .readiness), ("/metrics", .metrics), ("/admin/metrics", .metrics),
        ("/admin/reload", .reload), ("/admin/revocations", .revocations),
    ])
    func adminPathsAreKnown(_ path: String, _ resource: AdminResource) {
        #expect(AdminResource(path: path) == resource)
        let changes = resource == .reload || resource == .revocations
        #expect(resource.allows(.post) == changes)
        #expect(resource.allows(.get) == !changes)
        #expect(resource.allows(.head) == !changes)
        #expect(!resource.allows(.delete) && !resource.allows(.extension))
        if changes { #expect(resource.needsToken) }
    }

    @Test(arguments: ["/admin/", "/admin/users", "/admin/backends/inv/1.0", "/admin/%6detrics", "/admin/../metrics"])
    func everythingElseBelowAdminIsForTheAdministration(_ path: String) {
        let resource = AdminResource(path: path)
        #expect(resource == .administration)
        #expect(resource?.needsToken == true && resource?.maximumBodyBytes == 1 << 20)
        for method in [Method.get, .put, .delete, .extension] { #expect(resource?.allows(method) == true) }
    }

    @Test(arguments: [
        "", "/", "/admin", "/Admin/users", "/metrics/", "/METRICS", "//metrics", "//admin/users", "/%61dmin/users",
    ])
    func otherAdminPathsAreNot(_ path: String) {
        #expect(AdminResource(path: path) == nil)
    }

    // MARK: Access log

    /// Runs requests and answers the lines that were logged of them.
    static func logged(_ run: (WorkerBench) throws -> Void) throws -> (lines: [[String: Any]], text: String) {
        let path = NSTemporaryDirectory() + "portcullis-\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try LogWriter(appendingTo: path)
        let bench = try WorkerBench { $0.accessLog = writer }
        try run(bench)
        bench.worker.counters.accessLog?.flush()
        writer.flush()
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        let lines = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
        return (lines, text)
    }

    @Test func everyRequestIsOneLine() throws {
        let (lines, text) = try Self.logged { bench in
            let client = bench.client()
            let server = try bench.requested(client, .get("/mine/x?password=secret", WorkerBench.credentials))
            server.send(.ok("body"))
            _ = bench.expect(client, ends: "body")
            client.send(.get("/nowhere") + .get("/mine/y") + "rubbish\r\n\r\n")
            bench.turn(until: { client.isOver })
        }
        #expect(lines.count == 4)
        #expect(lines[0]["path"] as? String == "/mine/x")
        #expect(lines[0]["subject"] as? String == "joe")
        #expect(lines[0]["route"] as? String == "mine")
        #expect(lines[0]["upstream"] as? String == "api")
        #expect(lines[0]["bytes_out"] as? Int == 4)
        #expect(lines.map { $0["status"] as? Int } == [200, 404, 401, 400])
        #expect(lines[1]["reason"] as? String == "no_route")
        for line in lines { #expect(line["client_ip"] as? String == "127.0.0.1") }
        #expect(!text.contains("secret") && !text.contains("Welcome1") && !text.contains("am9l"))
    }

    /// With any bytes in a path, a method or an id, the line is JSON and one line.
    @Test func hostileBytesStayWithinTheirString() throws {
        let paths = [
            "/open/\"},{\"", "/open/%0A%0D", "/open/%00", "/open/%FF", "/open/\\", "/open/%22", "/open/'",
            "/open/%E2%80%A8",
        ]
        let (lines, text) = try Self.logged { bench in
            for path in paths {
                let client = bench.client()
                client.send("HEAD \(path) HTTP/1.1\r\nHost: h\r\nX-Request-Id: \"\\\r\nConnection: close\r\n\r\n")
                bench.turn(until: {
                    if let server = bench.upstream.accept() {
                        server.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
                    }
                    return client.isOver
                })
            }
            let raw = bench.client()
            raw.send(Array("G\"T /open/".utf8) + [0xff, 0xfe, 0x22] + Array(" HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
            bench.turn(until: {
                if let server = bench.upstream.accept() { server.close() }
                return !raw.text.isEmpty
            })
        }
        #expect(lines.count == paths.count + 1)
        #expect(text.count(of: "\n") == lines.count)
        #expect(text.utf8.allSatisfy { $0 == 10 || ($0 >= 0x20 && $0 != 0x7f) })
    }
}
