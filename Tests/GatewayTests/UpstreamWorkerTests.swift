import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Upstreams of several servers behind a worker, over real sockets (issue B, "Upstream groups").
@Suite struct UpstreamWorkerTests {
    /// Answers every request with the number of its server, or not at all.
    final class Answering {
        enum Manner { case answers, closes, isFrozen }

        let servers: ServerSet
        var manners: [Manner]
        private(set) var peers: [(server: Int, peer: Peer)] = []
        /// Heads received, by server.
        private(set) var heads: [[String]]

        init(_ count: Int) {
            servers = ServerSet(count)
            manners = Array(repeating: .answers, count: count)
            heads = Array(repeating: [], count: count)
        }

        /// Accepts and answers what has come.
        func go() {
            for (index, listener) in servers.listeners.enumerated() where manners[index] != .isFrozen {
                while let peer = listener.accept() { peers.append((index, peer)) }
            }
            peers.removeAll { $0.peer.isOver }
            for (index, peer) in peers where manners[index] != .isFrozen && peer.text.contains("\r\n\r\n") {
                heads[index].append(peer.text)
                peer.forget()
                if manners[index] == .closes { peer.close() } else { peer.send(.ok("<\(index)>")) }
            }
        }

        /// Requests other than checks, by server.
        var counts: [Int] { heads.map { $0.count { !$0.contains("portcullis-health-check") } } }
    }

    /// An address where nobody listens.
    private static func dead() throws -> ServerSettings {
        let port = PeerListener().port
        return ServerSettings(.address(try #require(SocketAddress(literal: "127.0.0.1", port: port))))
    }

    private static func bench(
        _ answering: Answering, dead: Int = 0, _ change: @escaping (inout UpstreamSettings) -> Void = { _ in }
    ) throws -> WorkerBench {
        let nobody = try (0..<dead).map { _ in try Self.dead() }
        return try WorkerBench {
            $0.upstream = {
                $0.servers = answering.servers.settings + nobody
                change(&$0)
            }
        }
    }

    /// Sends a request and answers the response, whoever gives it.
    private func ask(
        _ bench: WorkerBench, _ answering: Answering, _ client: Peer, _ request: String = .get(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        client.send(request)
        bench.turn(
            until: {
                answering.go()
                let text = client.text
                return text.hasSuffix(">") || text.hasSuffix("}")
            }, sourceLocation: sourceLocation)
        let all = client.text
        client.forget()
        return all
    }

    // MARK: Balance and retries

    @Test func requestsGoInTurn() throws {
        let answering = Answering(3)
        let bench = try Self.bench(answering) { $0.balance = .roundRobin }
        let client = bench.client()
        for index in 0..<9 { #expect(ask(bench, answering, client).hasSuffix("<\(index % 3)>")) }
        // Unused connections are kept by server.
        #expect(bench.worker.pools.map(\.open) == [1, 1, 1])
        bench.expectNothingLeft()
    }

    /// A server that is not there takes no request with it: nothing was sent, so even a POST goes on.
    @Test(arguments: [String.get(), .post("/open/x", "body")])
    func anotherServerTakesOver(_ request: String) throws {
        let answering = Answering(2)
        let bench = try Self.bench(answering, dead: 1) {
            $0.balance = .roundRobin
            $0.retries.minimumPerSecond = 100
        }
        let client = bench.client()
        for _ in 0..<12 { #expect(ask(bench, answering, client, request).hasPrefix("HTTP/1.1 200")) }
        #expect(answering.counts.reduce(0, +) == 12)
        #expect(bench.worker.groups[0].retries == 4)
        #expect(bench.errors[UpstreamFailure.connectFailed.rawValue] == 0)
        bench.expectNothingLeft()
    }

    @Test func aServerThatIsKilledFailsNoIdempotentRequest() throws {
        let answering = Answering(2)
        let bench = try Self.bench(answering) {
            $0.balance = .roundRobin
            $0.retries.minimumPerSecond = 100
        }
        let client = bench.client()
        for _ in 0..<4 { _ = ask(bench, answering, client) }
        answering.manners[0] = .closes
        for _ in 0..<8 { #expect(ask(bench, answering, client).hasSuffix("<1>")) }
        bench.expectNothingLeft()
    }

    /// What was sent and may have been done is not done twice.
    @Test func whatMayNotBeRepeatedIsNotRetried() throws {
        let answering = Answering(2)
        answering.manners = [.closes, .closes]
        let bench = try Self.bench(answering)
        let answer = ask(bench, answering, bench.client(), .post("/open/x", "body"))
        #expect(answer.hasPrefix("HTTP/1.1 502") && answer.contains("upstream_connection_lost"))
        #expect(answering.counts.reduce(0, +) == 1)
        bench.expectNothingLeft()
    }

    @Test func noServerIsTriedTwice() throws {
        let answering = Answering(2)
        answering.manners = [.closes, .closes]
        let bench = try Self.bench(answering) { $0.retries.attempts = 10 }
        #expect(ask(bench, answering, bench.client()).hasPrefix("HTTP/1.1 502"))
        #expect(answering.counts == [1, 1])
        bench.expectNothingLeft()
    }

    /// Under a total outage attempts stay below (1 + budget) times the requests.
    @Test func theBudgetBoundsRetries() throws {
        let answering = Answering(0)
        let bench = try Self.bench(answering, dead: 3) {
            $0.retries.attempts = 2
            $0.retries.budgetPercent = 20
            $0.retries.minimumPerSecond = 0
        }
        let client = bench.client()
        for _ in 0..<100 { #expect(ask(bench, answering, client).hasPrefix("HTTP/1.1 502")) }
        let attempts = bench.worker.groups[0].servers.reduce(0) { $0 + $1.requests }
        #expect(attempts > 110 && attempts <= 120)
        bench.expectNothingLeft()
    }

    @Test func equalKeysGoToOneServer() throws {
        let answering = Answering(3)
        let bench = try Self.bench(answering) { $0.balance = .consistentHash(.header(Array("x-key".utf8))) }
        let client = bench.client()
        var used: Set<Substring> = []
        for key in 0..<20 {
            let answers = (0..<3).map { _ in
                ask(bench, answering, client, .get("/open/x", "X-Key: \(key)\r\n")).suffix(3)
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
        let answering = Answering(2)
        let bench = try Self.bench(answering, dead: 1) {
            $0.balance = .roundRobin
            $0.ejection = rules
        }
        let client = bench.client()
        for _ in 0..<30 { #expect(ask(bench, answering, client).hasPrefix("HTTP/1.1 200")) }
        #expect(bench.worker.groups[0].servers[2].requests == 2)
        #expect(answering.counts.reduce(0, +) == 30)
        #expect(bench.worker.groups[0].ejections == 1)
        bench.expectNothingLeft()
    }

    /// A server that accepts and says nothing is found by the active checks, and comes back by them.
    @Test func aFrozenServerIsTakenOutByItsChecks() throws {
        var checks = HealthCheckSettings(path: "/health")
        checks.interval = 50
        checks.timeout = 300
        checks.unhealthy = 1
        checks.healthy = 2
        let answering = Answering(2)
        answering.manners[0] = .isFrozen
        let bench = try Self.bench(answering) {
            $0.balance = .roundRobin
            $0.healthCheck = checks
        }
        let servers = bench.worker.groups[0].servers
        bench.turn(until: {
            answering.go()
            return !servers[0].health.isUp
        })
        #expect(servers[1].health.isUp)
        let client = bench.client()
        for _ in 0..<6 { #expect(ask(bench, answering, client).hasSuffix("<1>")) }
        answering.manners[0] = .answers
        bench.turn(until: {
            answering.go()
            return servers[0].health.isUp
        })
        #expect(Set((0..<4).map { _ in ask(bench, answering, client).suffix(3) }) == ["<0>", "<1>"])
        let check = try #require(answering.heads[1].first { $0.contains("health-check") })
        #expect(check.hasPrefix("GET /health HTTP/1.1\r\nHost: 127.0.0.1:\(answering.servers.listeners[1].port)\r\n"))
        bench.expectNothingLeft()
    }

    @Test func anotherWorkersChecksCount() throws {
        let answering = Answering(2)
        let bench = try Self.bench(answering)
        let server = bench.worker.groups[0].servers[0]
        bench.worker.mailbox.post(.serverHealth(upstream: "api", address: server.address, isUp: false))
        bench.turn(until: { !server.health.isUp })
        let client = bench.client()
        for _ in 0..<4 { #expect(ask(bench, answering, client).hasSuffix("<1>")) }
        bench.worker.mailbox.post(.serverHealth(upstream: "api", address: server.address, isUp: true))
        bench.turn(until: { server.health.isUp })
        bench.expectNothingLeft()
    }

    @Test func theBreakerOpensAndCloses() throws {
        var rules = BreakerSettings()
        rules.failures = 2
        rules.openFor = 200
        let answering = Answering(1)
        answering.manners[0] = .closes
        let bench = try Self.bench(answering) { $0.breaker = rules }
        let client = bench.client()
        for _ in 0..<2 { #expect(ask(bench, answering, client).hasPrefix("HTTP/1.1 502")) }
        let refused = ask(bench, answering, client)
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("upstream_unavailable"))
        #expect(refused.contains("Retry-After: 1\r\n"))
        #expect(answering.counts == [2])
        answering.manners[0] = .answers
        bench.pass(milliseconds: 220)
        #expect(ask(bench, answering, client).hasPrefix("HTTP/1.1 200"))
        #expect(bench.worker.groups[0].breaker.state == .closed)
        bench.expectNothingLeft()
    }

    // MARK: Names

    @Test func aNameIsResolvedOffTheLoop() throws {
        let answering = Answering(1)
        let port = answering.servers.listeners[0].port
        let bench = try Self.bench(answering) { $0.servers = [ServerSettings(.name(host: "localhost", port: port))] }
        bench.turn(until: { !bench.worker.groups[0].servers.isEmpty })
        // It may have an address for each family, and one of them has a listener.
        #expect(ask(bench, answering, bench.client()).hasSuffix("<0>"))
        let report = bench.worker.groups[0].report(0)
        #expect(report.servers.count == 1 && report.servers[0].name == "localhost:\(port)")
        bench.expectNothingLeft()
    }

    @Test func aNameWithoutAnAddressIs503() throws {
        let answering = Answering(1)
        let bench = try Self.bench(answering) { $0.servers = [ServerSettings(.name(host: "none.invalid", port: 1))] }
        let answer = ask(bench, answering, bench.client())
        #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("upstream_unavailable"))
        bench.expectNothingLeft()
    }

    @Test func connectionsToAnAddressThatIsGoneAreClosed() throws {
        let answering = Answering(2)
        let addresses = answering.servers.settings.compactMap { entry -> SocketAddress? in
            if case .address(let address) = entry.target { address } else { nil }
        }
        let name = ServerSettings.Target.name(host: "none.invalid", port: 1)
        let bench = try Self.bench(answering) { $0.servers = [ServerSettings(name)] }
        let client = bench.client()
        bench.worker.mailbox.post(.resolved(name, [addresses[0]]))
        bench.turn(until: { bench.worker.groups[0].servers.count == 1 })
        #expect(ask(bench, answering, client).hasSuffix("<0>"))
        let gone = bench.worker.pools[0]
        bench.worker.mailbox.post(.resolved(name, [addresses[1]]))
        bench.turn(until: { gone.open == 0 })
        #expect(ask(bench, answering, client).hasSuffix("<1>"))
        bench.expectNothingLeft()
    }

    // MARK: Limits

    @Test func requestsOverTheLimitWaitTheirTurn() throws {
        let bench = try WorkerBench {
            $0.upstream = {
                $0.maximumInFlight = 1
                $0.queueLength = 2
                $0.queueTimeout = 60_000
            }
        }
        let clients = (0..<4).map { _ in bench.client() }
        let group = bench.worker.groups[0]
        let server = try bench.requested(clients[0], .get("/open/0"))
        for index in 1...2 {
            clients[index].send(.get("/open/\(index)"))
            bench.turn(until: { group.queue.count == index })
        }
        clients[3].send(.get("/open/3"))
        let refused = bench.expect(clients[3], ends: "}")
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("upstream_exhausted"))
        #expect(refused.contains("Retry-After: 1\r\n"))
        for index in 0...2 {
            if index > 0 { #expect(bench.head(server).hasPrefix("GET /open/\(index) ")) }
            server.send(.ok("done \(index)"))
            _ = bench.expect(clients[index], ends: "done \(index)")
        }
        #expect(group.inFlight == 0)
        bench.expectNothingLeft()
    }

    @Test func whoWaitsTooLongIsToldSo() throws {
        let bench = try WorkerBench {
            $0.upstream = {
                $0.maximumConnections = 1
                $0.queueLength = 5
                $0.queueTimeout = 40
            }
        }
        let (first, second) = (bench.client(), bench.client())
        let server = try bench.requested(first, .get())
        second.send(.get())
        let answer = bench.expect(second, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("upstream_queue_timeout"))
        server.send(.ok("one"))
        _ = bench.expect(first, ends: "one")
        bench.expectNothingLeft()
    }

    @Test func aClientThatGoesWaitsNoLonger() throws {
        let bench = try WorkerBench {
            $0.upstream = {
                $0.maximumInFlight = 1
                $0.queueLength = 5
                $0.queueTimeout = 60_000
            }
        }
        let (first, second) = (bench.client(), bench.client())
        let group = bench.worker.groups[0]
        _ = try bench.requested(first, .get())
        second.send(.get())
        bench.turn(until: { group.queue.count == 1 })
        second.close()
        bench.turn(until: { group.queue.isEmpty })
        bench.expectNothingLeft()
        #expect(group.inFlight == 0)
    }

    // MARK: Reload

    @Test func serversThatStayKeepTheirConnections() throws {
        let answering = Answering(3)
        let bench = try Self.bench(answering) { $0.balance = .roundRobin }
        let client = bench.client()
        for _ in 0..<3 { _ = ask(bench, answering, client) }
        let stays = bench.worker.groups[0].servers[0]
        let leaves = bench.worker.groups[0].servers[1]
        // A request is under way to the server that leaves.
        _ = ask(bench, answering, client)
        answering.manners[1] = .isFrozen
        let busy = bench.client()
        busy.send(.get())
        bench.turn(until: { leaves.inFlight == 1 })
        bench.shared.use(
            try bench.snapshot {
                $0.upstream = {
                    $0.servers = answering.servers.settings
                    $0.servers.remove(at: 1)
                    $0.balance = .roundRobin
                }
            })
        bench.turn(until: { bench.worker.groups[0].servers.count == 2 })
        #expect(bench.worker.groups[0].servers[0] === stays && stays.pool.open == 1)
        for _ in 0..<4 { #expect(!ask(bench, answering, client).hasSuffix("<1>")) }
        answering.manners[1] = .answers
        bench.turn(until: {
            answering.go()
            return busy.text.hasSuffix("<1>")
        })
        bench.turn(until: { leaves.pool.open == 0 })
        bench.expectNothingLeft()
    }

    // MARK: Metrics

    @Test func everyServerIsInTheMetrics() throws {
        let answering = Answering(2)
        let bench = try Self.bench(answering) { $0.balance = .roundRobin }
        let client = bench.client()
        for _ in 0..<2 { _ = ask(bench, answering, client) }
        let admin = bench.adminClient()
        admin.send(.get("/metrics"))
        bench.turn(until: { admin.text.contains("portcullis_uptime_seconds ") })
        let text = admin.text
        for listener in answering.servers.listeners {
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
