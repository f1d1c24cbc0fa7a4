import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Upstreams of several servers behind a worker, over real sockets (issue B, "Upstream groups").
@Suite struct UpstreamWorkerTests {
    // MARK: Balance and retries

    @Test func requestsGoInTurn() throws {
        let servers = ServerSet(3)
        let bench = try servers.bench { $0.settings.balance = .roundRobin }
        let client = bench.client()
        for index in 0..<9 { #expect(bench.ask(servers, client).hasSuffix("<\(index % 3)>")) }
        // Unused connections are kept by server.
        #expect(bench.worker.pools.map(\.open) == [1, 1, 1])
        bench.expectNothingLeft()
    }

    /// A server that is not there takes no request with it: nothing was sent, so even a POST goes on.
    @Test(arguments: [String.get(), .post("/open/x", "body")])
    func anotherServerTakesOver(_ request: String) throws {
        let servers = ServerSet(2)
        let bench = try servers.bench(dead: 1) {
            $0.settings.balance = .roundRobin
            $0.settings.retries.minimumPerSecond = 100
        }
        let client = bench.client()
        for _ in 0..<12 { #expect(bench.ask(servers, client, request).hasPrefix("HTTP/1.1 200")) }
        #expect(servers.counts.reduce(0, +) == 12)
        #expect(bench.worker.groups.all[0].retries == 4)
        #expect(bench.errors[UpstreamFailure.connectFailed.rawValue] == 0)
        bench.expectNothingLeft()
    }

    @Test func aServerThatIsKilledFailsNoIdempotentRequest() throws {
        let servers = ServerSet(2)
        let bench = try servers.bench {
            $0.settings.balance = .roundRobin
            $0.settings.retries.minimumPerSecond = 100
        }
        let client = bench.client()
        for _ in 0..<4 { _ = bench.ask(servers, client) }
        servers.manners[0] = .closes
        for _ in 0..<8 { #expect(bench.ask(servers, client).hasSuffix("<1>")) }
        bench.expectNothingLeft()
    }

    /// What was sent and may have been done is not done twice.
    @Test func whatMayNotBeRepeatedIsNotRetried() throws {
        let servers = ServerSet(2)
        servers.manners = [.closes, .closes]
        let bench = try servers.bench()
        let answer = bench.ask(servers, bench.client(), .post("/open/x", "body"))
        #expect(answer.hasPrefix("HTTP/1.1 502") && answer.contains("upstream_connection_lost"))
        #expect(servers.counts.reduce(0, +) == 1)
        bench.expectNothingLeft()
    }

    @Test func noServerIsTriedTwice() throws {
        let servers = ServerSet(2)
        servers.manners = [.closes, .closes]
        let bench = try servers.bench { $0.settings.retries.attempts = 10 }
        #expect(bench.ask(servers, bench.client()).hasPrefix("HTTP/1.1 502"))
        #expect(servers.counts == [1, 1])
        bench.expectNothingLeft()
    }

    /// Under a total outage attempts stay below (1 + budget) times the requests.
    @Test func theBudgetBoundsRetries() throws {
        let servers = ServerSet(0)
        let bench = try servers.bench(dead: 3) {
            $0.settings.retries.attempts = 2
            $0.settings.retries.budgetPercent = 20
            $0.settings.retries.minimumPerSecond = 0
        }
        let client = bench.client()
        for _ in 0..<100 { #expect(bench.ask(servers, client).hasPrefix("HTTP/1.1 502")) }
        let attempts = bench.worker.groups.all[0].servers.reduce(0) { $0 + $1.requests }
        #expect(attempts > 110 && attempts <= 120)
        bench.expectNothingLeft()
    }

    @Test func equalKeysGoToOneServer() throws {
        let servers = ServerSet(3)
        let bench = try servers.bench { $0.settings.balance = .consistentHash(.header(Array("x-key".utf8))) }
        let client = bench.client()
        var used: Set<Substring> = []
        for key in 0..<20 {
            let answers = (0..<3).map { _ in
                bench.ask(servers, client, .get("/open/x", "X-Key: \(key)\r\n")).suffix(3)
            }
            #expect(Set(answers).count == 1)
            used.insert(answers[0])
        }
        #expect(used.count == 3)
        bench.expectNothingLeft()
    }

    // MARK: Failing servers

    @Test func aServerThatFailsIsEjected() throws {
        var rules = EjectionSettings()
        rules.failures = 2
        let servers = ServerSet(2)
        let bench = try servers.bench(dead: 1) {
            $0.settings.balance = .roundRobin
            $0.settings.ejection = rules
        }
        let client = bench.client()
        for _ in 0..<30 { #expect(bench.ask(servers, client).hasPrefix("HTTP/1.1 200")) }
        #expect(bench.worker.groups.all[0].servers[2].requests == 2)
        #expect(servers.counts.reduce(0, +) == 30)
        #expect(bench.worker.groups.all[0].ejections == 1)
        bench.expectNothingLeft()
    }

    /// A server that accepts and says nothing is found by the active checks, and comes back by them.
    @Test func aFrozenServerIsTakenOutByItsChecks() throws {
        var checks = HealthCheckSettings(path: "/health")
        checks.interval = 50
        checks.timeout = 300
        checks.unhealthy = 1
        checks.healthy = 2
        let servers = ServerSet(2)
        servers.manners[0] = .isFrozen
        let bench = try servers.bench {
            $0.settings.balance = .roundRobin
            $0.settings.healthCheck = checks
        }
        let known = bench.worker.groups.all[0].servers
        bench.turn(until: {
            servers.go()
            return !known[0].health.isUp
        })
        #expect(known[1].health.isUp)
        let client = bench.client()
        for _ in 0..<6 { #expect(bench.ask(servers, client).hasSuffix("<1>")) }
        servers.manners[0] = .answers
        bench.turn(until: {
            servers.go()
            return known[0].health.isUp
        })
        #expect(Set((0..<4).map { _ in bench.ask(servers, client).suffix(3) }) == ["<0>", "<1>"])
        let check = try #require(servers.heads[1].first { $0.contains("health-check") })
        #expect(check.hasPrefix("GET /health HTTP/1.1\r\nHost: 127.0.0.1:\(servers.listeners[1].port)\r\n"))
        bench.expectNothingLeft()
    }

    @Test func anotherWorkersChecksCount() throws {
        let servers = ServerSet(2)
        let bench = try servers.bench()
        let server = bench.worker.groups.all[0].servers[0]
        bench.worker.context.mailbox.post(.serverHealth(upstream: "api", address: server.address, isUp: false))
        bench.turn(until: { !server.health.isUp })
        let client = bench.client()
        for _ in 0..<4 { #expect(bench.ask(servers, client).hasSuffix("<1>")) }
        bench.worker.context.mailbox.post(.serverHealth(upstream: "api", address: server.address, isUp: true))
        bench.turn(until: { server.health.isUp })
        bench.expectNothingLeft()
    }

    @Test func theBreakerOpensAndCloses() throws {
        var rules = CircuitBreaker.Settings()
        rules.failures = 2
        (rules.pauseMilliseconds, rules.longestPauseMilliseconds) = (200, 200)
        let servers = ServerSet(1)
        servers.manners[0] = .closes
        let bench = try servers.bench { $0.settings.breaker = rules }
        let client = bench.client()
        for _ in 0..<2 { #expect(bench.ask(servers, client).hasPrefix("HTTP/1.1 502")) }
        let refused = bench.ask(servers, client)
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("upstream_unavailable"))
        #expect(refused.contains("Retry-After: 1\r\n"))
        #expect(servers.counts == [2])
        servers.manners[0] = .answers
        bench.pass(milliseconds: 220)
        #expect(bench.ask(servers, client).hasPrefix("HTTP/1.1 200"))
        #expect(bench.worker.groups.all[0].breaker.state == .closed)
        bench.expectNothingLeft()
    }

    // MARK: Reload

    @Test func serversThatStayKeepTheirConnections() throws {
        let servers = ServerSet(3)
        let bench = try servers.bench { $0.settings.balance = .roundRobin }
        let client = bench.client()
        for _ in 0..<3 { _ = bench.ask(servers, client) }
        let stays = bench.worker.groups.all[0].servers[0]
        let leaves = bench.worker.groups.all[0].servers[1]
        // A request is under way to the server that leaves.
        _ = bench.ask(servers, client)
        servers.manners[1] = .isFrozen
        let busy = bench.client()
        busy.send(.get())
        bench.turn(until: { leaves.inFlight == 1 })
        bench.shared.use(
            try bench.snapshot {
                $0.upstream = {
                    $0.servers = servers.settings
                    $0.servers.remove(at: 1)
                    $0.settings.balance = .roundRobin
                }
            })
        bench.turn(until: { bench.worker.groups.all[0].servers.count == 2 })
        #expect(bench.worker.groups.all[0].servers[0] === stays && stays.pool.open == 1)
        for _ in 0..<4 { #expect(!bench.ask(servers, client).hasSuffix("<1>")) }
        servers.manners[1] = .answers
        bench.turn(until: {
            servers.go()
            return busy.text.hasSuffix("<1>")
        })
        bench.turn(until: { leaves.pool.open == 0 })
        bench.expectNothingLeft()
    }

    // MARK: Metrics

    @Test func everyServerIsInTheMetrics() throws {
        let servers = ServerSet(2)
        let bench = try servers.bench { $0.settings.balance = .roundRobin }
        let client = bench.client()
        for _ in 0..<2 { _ = bench.ask(servers, client) }
        let admin = bench.adminClient()
        admin.send(.get("/metrics"))
        bench.turn(until: { admin.text.contains("portcullis_uptime_seconds ") })
        let text = admin.text
        for listener in servers.listeners {
            let labels = "{upstream=\"api\",server=\"127.0.0.1:\(listener.port)\"}"
            #expect(text.contains("portcullis_upstream_healthy\(labels) 1\n"))
            #expect(text.contains("portcullis_upstream_ejected\(labels) 0\n"))
            #expect(text.contains("portcullis_upstream_requests_total\(labels) 1\n"))
            #expect(text.contains("portcullis_upstream_connections_idle\(labels) 1\n"))
        }
        #expect(text.contains("portcullis_upstream_breaker_state{upstream=\"api\"} 0\n"))
        bench.expectNothingLeft()
    }
}
