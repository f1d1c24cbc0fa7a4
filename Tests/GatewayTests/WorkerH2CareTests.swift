import Bytes
import HTTP
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// HTTP/2 to upstreams beside the requests themselves: interim answers, connections that are kept, active checks, memory.
@Suite struct WorkerH2CareTests {
    private func bench(_ change: @escaping (inout Upstream) -> Void = { _ in }) throws -> WorkerBench {
        try WorkerBench { setup in
            setup.listeners[0].rules.http2 = true
            setup.upstream = {
                $0.settings.http2 = true
                change(&$0)
            }
        }
    }

    private func turn(_ bench: WorkerBench, _ servers: [H2Server], until condition: () -> Bool) {
        bench.turn {
            for server in servers { server.move() }
            return condition()
        }
    }

    /// Those that come in one piece of bytes are as many to the client.
    @Test func everyInterimAnswerGoesOnInOrder() throws {
        let bench = try bench()
        let client = bench.client()
        client.send(.get("/open/x"))
        let server = H2Server(try bench.accepted())
        turn(bench, [server]) { server.order.count == 1 }
        server.together {
            for status in [103, 100, 104, 103] { server.interim(server.order[0], status) }
            server.answer(server.order[0], body: Array("done".utf8))
        }
        turn(bench, [server]) { client.text.hasSuffix("done\r\n0\r\n\r\n") }
        let lines = client.text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1 ") }.map { $0.prefix(12) }
        #expect(lines == ["HTTP/1.1 103", "HTTP/1.1 100", "HTTP/1.1 104", "HTTP/1.1 103", "HTTP/1.1 200"])
        bench.expectNothingLeft()
    }

    @Test func interimAnswersWithoutEndAreAFailure() throws {
        let bench = try bench()
        let client = bench.client()
        client.send(.get("/open/x"))
        let server = H2Server(try bench.accepted())
        turn(bench, [server]) { server.order.count == 1 }
        server.together { for _ in 0..<20 { server.interim(server.order[0], 103) } }
        turn(bench, [server]) { client.text.contains("HTTP/1.1 502 ") }
        #expect(server.asked[server.order[0]]?.wasReset == true)
        bench.expectNothingLeft()
    }

    /// A server that lets one stream be open makes a connection of each request; most of them are not kept.
    @Test func unusedConnectionsAreBounded() throws {
        let bench = try bench { $0.settings.maximumIdle = 2 }
        let clients = (0..<6).map { _ in bench.client() }
        for client in clients { client.send(.get("/open/x")) }
        var limits = H2Limits()
        limits.maximumStreams = 1
        var servers: [H2Server] = []
        bench.turn {
            while let peer = bench.upstream.accept() { servers.append(H2Server(peer, limits)) }
            for server in servers { server.move() }
            return servers.count { $0.order.count == 1 } >= 6
        }
        let sessions = { bench.worker.groups.all[0].servers[0].sessions.count }
        #expect(sessions() >= 6)
        for server in servers where server.order.count == 1 { server.answer(server.order[0], body: Array("1".utf8)) }
        turn(bench, servers) { clients.allSatisfy { $0.text.hasSuffix("1\r\n0\r\n\r\n") } }
        #expect(sessions() == 2)
        #expect(bench.worker.groups.all[0].servers[0].pool.open == 2)
        bench.expectNothingLeft()
    }

    /// Those that waited for the connection may all be gone before it stands: it idles like any other then.
    @Test func aConnectionThatNobodyWaitedForIsNotKeptForEver() throws {
        let listener = PeerListener(backlog: 0)
        let filler = Peer(port: listener.port)
        let bench = try WorkerBench(
            {
                $0.upstream = {
                    $0.settings.http2 = true
                    $0.settings.connectTimeout = 30_000
                    $0.settings.idleTimeout = 50
                }
            }, upstream: listener)
        let client = bench.client()
        client.send(.get("/open/x"))
        bench.turn(until: { bench.worker.connections.sessions.all.first?.waiting.count == 1 })
        client.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        let session = bench.worker.connections.sessions[0]
        #expect(session.socket != nil && session.link == nil && session.waiting.isEmpty)
        // Its place in the queue of the listener is free now.
        _ = try #require(listener.accept())
        bench.turn(until: { session.link != nil })
        bench.turn(until: { session.socket == nil })
        #expect(bench.worker.pools[0].open == 0)
        bench.expectNothingLeft()
        withExtendedLifetime(filler) {}
    }

    @Test func anActiveCheckIsARequest() throws {
        var checks = HealthCheckSettings(path: "/health?x=1")
        checks.interval = 20
        checks.unhealthy = 1
        checks.healthy = 1
        let settings = checks
        let bench = try bench { $0.settings.healthCheck = settings }
        let isUp = { bench.worker.groups.all[0].servers[0].health.isUp }
        for (status, expected) in [(200, true), (503, false), (503, false), (204, true)] {
            let server = H2Server(try bench.accepted())
            turn(bench, [server]) { server.order.count == 1 }
            let asked = try #require(server.asked[server.order[0]])
            #expect(asked.method == "GET" && asked.path == "/health?x=1" && asked.isWhole)
            #expect(asked.fields.contains("user-agent: portcullis-health-check"))
            #expect(!asked.authority.isEmpty)
            server.answer(server.order[0], status)
            bench.turn(until: { bench.worker.maintenance.healthChecker.checks.all.allSatisfy { $0.server == nil } })
            #expect(isUp() == expected, "\(status)")
        }
        // One that resets the stream, and one that says nothing of it, is not well.
        let server = H2Server(try bench.accepted())
        turn(bench, [server]) { server.order.count == 1 }
        server.reset(server.order[0], 7)
        bench.turn(until: { !isUp() })
    }

    /// Streams that wait for their answers hold their heads: the ceiling of memory has to know.
    @Test func headsOfStreamsCountAsBuffers() throws {
        let bench = try WorkerBench { $0.listeners[0].rules.http2 = true }
        let client = bench.h2Client()
        let before = bench.worker.poller.chunks.bytesInUse
        let filler = "x-filler: \(String(repeating: "y", count: 6000))\r\n"
        for _ in 0..<20 { _ = try client.request("GET", "/open/x", filler) }
        bench.turn {
            client.move()
            return bench.worker.report.current.requestsInFlight == 20
        }
        #expect(bench.worker.poller.chunks.bytesInUse - before >= 20 * 6000 * 2, "head and request to the upstream")
        client.peer.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        bench.turn(until: { bench.worker.poller.chunks.bytesInUse == 0 })
    }
}
