import Identity
import Model
import Policy
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// The end of a worker, and a new configuration while requests are under way (GW-11).
@Suite struct WorkerDrainTests {
    private func drain(_ bench: WorkerBench) {
        bench.shared.drain()
        bench.turn(until: { bench.worker.isDraining })
    }

    @Test func anIdleWorkerEndsAtOnce() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        drain(bench)
        #expect(bench.worker.shutdown.isFinished)
        bench.turn()
        #expect(client.waitForEnd() && client.ended)
    }

    /// Issue B: another process serves already, and a request may be under way to an idle connection.
    @Test func idleConnectionsAreAnsweredOnceMoreInAHandOver() throws {
        let bench = try WorkerBench()
        let (client, idle) = (bench.client(), bench.client())
        bench.turn(until: { bench.worker.frontend.clients.used == 2 })
        bench.shared.drain(keepingIdle: true)
        bench.turn(until: { bench.worker.isDraining })
        #expect(bench.worker.frontend.clients.used == 2 && !bench.worker.shutdown.isFinished)
        let server = try bench.requested(client, .get())
        server.send(.ok("last"))
        bench.turn(until: { client.isOver })
        #expect(client.text.contains("Connection: close\r\n") && client.ended)
        client.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        #expect(!bench.worker.shutdown.isFinished)
        drainAgain(bench)
        #expect(bench.worker.shutdown.isFinished)
        bench.turn(until: { idle.isOver })
        #expect(idle.ended)
    }

    private func drainAgain(_ bench: WorkerBench) {
        bench.shared.drain()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
    }

    @Test func whatIsUnderWayIsFinished() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        drain(bench)
        #expect(!bench.worker.shutdown.isFinished)
        server.send(.ok("last"))
        bench.turn(until: { client.isOver })
        #expect(client.text.hasSuffix("last"))
        #expect(client.text.contains("Connection: close\r\n"))
        #expect(client.ended)
        client.close()
        bench.turn(until: { bench.worker.shutdown.isFinished })
        bench.expectNothingLeft()
    }

    /// The exchange is over for the worker, but the client has not taken its last bytes.
    @Test func whatWaitsToBeSentIsSent() throws {
        let bench = try WorkerBench()
        let client = bench.client(receiveBuffer: 4_096)
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let piece = Array("2000\r\n".utf8) + [UInt8](repeating: 65, count: 8_192) + [13, 10]
        bench.turn(until: {
            if bench.worker.frontend.clients[0].socket?.pendingBytes ?? 0 > 0 { return true }
            server.send(piece)
            return false
        })
        server.send("0\r\n\r\n")
        bench.turn(until: { bench.worker.report.current.requestsInFlight == 0 })
        #expect(bench.worker.frontend.clients[0].socket?.pendingBytes ?? 0 > 0)
        drain(bench)
        bench.turn(until: { client.isOver })
        #expect(client.text.hasSuffix("A\r\n0\r\n\r\n"))
        #expect(client.ended)
        client.close()
        bench.turn(until: { bench.worker.shutdown.isFinished })
        bench.expectNothingLeft()
    }

    @Test func aClientWhoseBodyIsSkippedDoesNotHoldTheEndUp() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        client.send("POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab")
        bench.turn(until: { client.text.hasSuffix("}") })
        drain(bench)
        #expect(!bench.worker.shutdown.isFinished)
        client.send("cd")
        bench.turn(until: { client.isOver })
        client.close()
        bench.turn(until: { bench.worker.shutdown.isFinished })
        bench.expectNothingLeft()
    }

    @Test func theLimitEndsWhatDoesNot() throws {
        let bench = try WorkerBench { $0.limits.drainTimeout = 60 }
        let client = bench.client()
        let server = try bench.requested(client, .get())
        drain(bench)
        bench.turn(until: { bench.worker.shutdown.isFinished })
        withExtendedLifetime(server) {}
    }

    // MARK: Reload

    /// The route under way has a number that the new configuration does not know.
    @Test func aReloadInTheMiddleOfAnExchangeHarmsNothing() throws {
        let bench = try WorkerBench {
            for number in 0..<20 {
                var route = ResolvedRoute(RouteEntry(name: "extra-\(number)", path: "/extra/\(number)"))
                route.access.isPublic = true
                $0.routes.append(route)
            }
        }
        let client = bench.client()
        let server = try bench.requested(client, .get("/extra/19"))
        bench.shared.use(try bench.snapshot { $0.routes = WorkerBench.Setup.usualRoutes })
        bench.turn(until: { bench.worker.snapshot.generation == 2 })
        server.send(.ok("old"))
        _ = bench.expect(client, ends: "old")
        client.send(.get("/extra/19"))
        #expect(bench.expect(client, ends: "}").hasPrefix("HTTP/1.1 404 "))
        client.send(.get("/open/x"))
        _ = bench.head(server)
        server.send(.ok("new"))
        _ = bench.expect(client, ends: "new")
        let routes = bench.worker.report.current.routes
        #expect(routes.first { $0.name == "open" }?.statuses[200] == 1)
        #expect(routes.first { $0.name == "" }?.statuses[404] == 1)
        bench.expectNothingLeft()
    }

    @Test func connectionsToAnUpstreamThatIsGoneAreClosed() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("warm"))
        _ = bench.expect(client, ends: "warm")
        let busy = bench.client()
        let second = bench.client()
        busy.send(.get())
        _ = bench.head(server)
        let other = try bench.requested(second, .get())
        other.send(.ok("idle"))
        _ = bench.expect(second, ends: "idle")
        let elsewhere = PeerListener()
        bench.shared.use(try bench.snapshot { $0.upstream = { $0.address.port = elsewhere.port } })
        bench.turn(until: { other.isOver })
        #expect(!server.isOver, "what is under way goes on")
        server.send(.ok("done"))
        _ = bench.expect(busy, ends: "done")
        busy.send(.get())
        var fresh: Peer?
        bench.turn(until: {
            fresh = elsewhere.accept()
            return fresh != nil
        })
        let server2 = try #require(fresh)
        _ = bench.head(server2)
        server2.send(.ok("there"))
        _ = bench.expect(busy, ends: "there")
        bench.expectNothingLeft()
    }

    // MARK: Admin

    @Test func metricsAndHealthAreAnswered() throws {
        let bench = try WorkerBench()
        let client = bench.adminClient()
        client.send(.get("/metrics") + .get("/healthz") + .get("/readyz") + .get("/nothing"))
        bench.turn(until: { client.text.count(of: "HTTP/1.1 ") == 4 })
        let all = client.text
        #expect(all.contains("portcullis_connections_open 1\n"))
        #expect(all.contains("portcullis_requests_in_flight 1\n"))
        #expect(all.contains("\r\n\r\nok\n"))
        #expect(all.contains("\r\n\r\nready\n"))
        #expect(all.contains("HTTP/1.1 404 "))
        bench.expectNothingLeft()
    }

    @Test func whatChangesSomethingNeedsTheToken() throws {
        let bench = try WorkerBench()
        let client = bench.adminClient()
        for credential in ["", "Authorization: Bearer wrong\r\n", "Authorization: Bearer admin\r\n"] {
            client.send(
                "POST /admin/revocations HTTP/1.1\r\nHost: h\r\n\(credential)Content-Length: 17\r\n\r\n"
                    + #"{"subject":"joe"}"#)
            let expected = credential.contains("admin") ? "HTTP/1.1 204 " : "HTTP/1.1 401 "
            bench.turn(until: { client.text.hasPrefix(expected) && client.text.contains("\r\n\r\n") })
            client.forget()
        }
        #expect(bench.shared.revocations.count == 1)
        // The public listener knows nothing of it.
        let outside = bench.client()
        outside.send(.get("/metrics"))
        #expect(bench.expect(outside, ends: "}").hasPrefix("HTTP/1.1 404 "))
        bench.expectNothingLeft()
    }
}
