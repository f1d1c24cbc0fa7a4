import Foundation
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Limits of an upstream, and servers that are known by name, over real sockets (issue B, "Upstream groups").
@Suite struct UpstreamLimitTests {
    // MARK: Limits

    @Test func requestsOverTheLimitWaitTheirTurn() throws {
        let bench = try WorkerBench {
            $0.upstream = {
                $0.settings.maximumInFlight = 1
                $0.settings.queueLength = 2
                $0.settings.queueTimeout = 60_000
            }
        }
        let clients = (0..<4).map { _ in bench.client() }
        let group = bench.worker.groups.all[0]
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
                $0.settings.maximumConnections = 1
                $0.settings.queueLength = 5
                $0.settings.queueTimeout = 40
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

    /// MBE-02: a request's time is over just when another configuration comes, in which the upstreams have other numbers. What
    /// the client has asked for behind that goes where the new one says.
    @Test func whoWaitsTooLongForAnotherConfiguration() throws {
        let bench = try WorkerBench {
            $0.upstream = {
                $0.settings.maximumInFlight = 1
                $0.settings.queueLength = 5
                $0.settings.queueTimeout = 1_000
            }
        }
        let elsewhere = PeerListener()
        let group = bench.worker.groups.all[0]
        let (first, second) = (bench.client(), bench.client())
        let server = try bench.requested(first, .get())
        second.send(.get("/open/late") + .get("/open/next"))
        bench.turn(until: { group.queue.count == 1 })
        let deadline = try #require(group.queue.nextDeadline)
        let address = try #require(SocketAddress(literal: "127.0.0.1", port: elsewhere.port))
        bench.shared.use(
            try bench.snapshot {
                $0.otherUpstreams = [Upstream(name: "other", address: address)]
                for index in $0.routes.indices { $0.routes[index].upstream = 1 }
            })
        // No turn before that: the configuration and the end of the time come in the same.
        while Clock.monotonicMilliseconds <= deadline { usleep(1_000) }
        bench.turn(until: { second.text.contains("upstream_queue_timeout") && group.queue.count == 1 })
        server.send(.ok("one"))
        _ = bench.expect(first, ends: "one")
        #expect(bench.head(server).hasPrefix("GET /open/next "))
        server.send(.ok("two"))
        _ = bench.expect(second, ends: "two")
        #expect(elsewhere.accept() == nil)
        bench.expectNothingLeft()
    }

    @Test func aClientThatGoesWaitsNoLonger() throws {
        let bench = try WorkerBench {
            $0.upstream = {
                $0.settings.maximumInFlight = 1
                $0.settings.queueLength = 5
                $0.settings.queueTimeout = 60_000
            }
        }
        let (first, second) = (bench.client(), bench.client())
        let group = bench.worker.groups.all[0]
        let server = try bench.requested(first, .get())
        second.send(.get())
        bench.turn(until: { group.queue.count == 1 })
        second.close()
        bench.turn(until: { group.queue.isEmpty })
        #expect(!server.isOver)
        bench.expectNothingLeft()
        #expect(group.inFlight == 0)
    }

    // MARK: Names

    @Test func aNameIsResolvedOffTheLoop() throws {
        let servers = ServerSet(1)
        let port = servers.listeners[0].port
        let bench = try servers.bench { $0.servers = [ServerSettings(.name(host: "localhost", port: port))] }
        bench.turn(until: { !bench.worker.groups.all[0].servers.isEmpty })
        // It may have an address for each family, and one of them has a listener.
        #expect(bench.ask(servers, bench.client()).hasSuffix("<0>"))
        let report = bench.worker.groups.all[0].report(0)
        #expect(report.servers.count == 1 && report.servers[0].name == "localhost:\(port)")
        bench.expectNothingLeft()
    }

    @Test func aNameWithoutAnAddressIs503() throws {
        let servers = ServerSet(1)
        let bench = try servers.bench { $0.servers = [ServerSettings(.name(host: "none.invalid", port: 1))] }
        let answer = bench.ask(servers, bench.client())
        #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("upstream_unavailable"))
        bench.expectNothingLeft()
    }

    @Test func connectionsToAnAddressThatIsGoneAreClosed() throws {
        let servers = ServerSet(2)
        let addresses = servers.settings.compactMap { entry -> SocketAddress? in
            if case .address(let address) = entry.target { address } else { nil }
        }
        let name = ServerSettings.Target.name(host: "none.invalid", port: 1)
        let bench = try servers.bench { $0.servers = [ServerSettings(name)] }
        let client = bench.client()
        bench.worker.context.mailbox.post(.resolved(name, [addresses[0]]))
        bench.turn(until: { bench.worker.groups.all[0].servers.count == 1 })
        #expect(bench.ask(servers, client).hasSuffix("<0>"))
        let gone = bench.worker.pools[0]
        bench.worker.context.mailbox.post(.resolved(name, [addresses[1]]))
        bench.turn(until: { gone.open == 0 })
        #expect(bench.ask(servers, client).hasSuffix("<1>"))
        bench.expectNothingLeft()
    }
}
