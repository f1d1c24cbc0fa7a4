import Bytes
import Dispatch
import Identity
import Issuers
import Model
import Outbound
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Clients that go, or stop, at every stage of an exchange.
@Suite struct WorkerClientTests {
    /// Work that stands still until the test lets it go.
    final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let begun = DispatchSemaphore(value: 0)

        func pass() {
            begun.signal()
            semaphore.wait()
        }
        func awaitBegin() { begun.wait() }
        func open(_ count: Int = 1) { for _ in 0..<count { semaphore.signal() } }
    }

    /// Fills every place of the pool for passwords, so that what is submitted later waits.
    private func occupy(_ bench: WorkerBench) -> (gate: Gate, count: Int) {
        let gate = Gate()
        let count = bench.shared.hashes.width
        for _ in 0..<count { #expect(bench.shared.hashes.submit { gate.pass() }) }
        for _ in 0..<count { gate.awaitBegin() }
        return (gate, count)
    }

    /// An issuer whose tokens come when the gate is opened.
    private struct SlowIssuer: TokenIssuer {
        let kind = "slow"
        let configurationID = "slow:1"
        let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
            .offload { [gate] in
                gate.pass()
                return .done(
                    .success(IssuedToken(value: Array("slow".utf8), issuedAt: now, expiresAt: now + 600)))
            }
        }
    }

    // MARK: Parked

    @Test func aClientThatLeavesDuringThePasswordCheckLeavesNothing() throws {
        let bench = try WorkerBench()
        let (gate, count) = occupy(bench)
        let client = bench.client()
        client.send(.get("/mine/x", WorkerBench.credentials))
        bench.turn(until: { bench.shared.hashes.waiting == 1 })
        client.reset()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        // Its place is taken by another before the answer comes, which must not be mistaken for its own.
        let other = bench.client()
        other.send(.get("/mine/y", WorkerBench.credentials))
        bench.turn(until: { bench.worker.report.current.requestsInFlight == 1 })
        gate.open(count)
        let server = try bench.accepted()
        #expect(bench.head(server).hasPrefix("GET /mine/y "))
        bench.settle()
        #expect(server.text.isEmpty)
        server.send(.ok("mine"))
        _ = bench.expect(other, ends: "mine")
        bench.expectNothingLeft()
    }

    /// A client that only shuts its side down is answered if the request waits within the gateway.
    @Test func aParkedRequestIsReadAgainFromTheSameHead() throws {
        let bench = try WorkerBench()
        let (gate, count) = occupy(bench)
        let client = bench.client()
        let body = String(repeating: "b", count: 40_000)
        client.send(
            "POST /mine/x HTTP/1.1\r\nHost: h\r\n\(WorkerBench.credentials)Content-Length: 40000\r\n\r\n\(body)"
                + .get("/open/next"))
        bench.turn(until: { bench.shared.hashes.waiting == 1 })
        bench.settle()
        gate.open(count)
        let server = try bench.accepted()
        bench.turn(until: { server.text.hasSuffix("bbb\r\n\r\n") || server.text.hasSuffix(body) })
        #expect(server.text.hasPrefix("POST /mine/x HTTP/1.1\r\n"))
        #expect(server.text.count(of: "X-Gateway-User: joe\r\n") == 1)
        #expect(!server.text.contains("Authorization"))
        server.forget()
        server.send(.ok("one"))
        #expect(bench.head(server).hasPrefix("GET /open/next "))
        server.send(.ok("two"))
        _ = bench.expect(client, ends: "two")
        bench.turn()
        #expect(bench.worker.poller.chunks.inUse == 0, "idle connections hold no buffer")
        bench.expectNothingLeft()
    }

    /// The buffer was full of the body when the answer fell: the rest is still read, though no new byte comes.
    @Test func theBodyOfAParkedAndRefusedRequestIsSkipped() throws {
        let bench = try WorkerBench()
        let (gate, count) = occupy(bench)
        let client = bench.client()
        let wrong = "Authorization: Basic am9lOndyb25n\r\nOracle-Mobile-Backend-ID: mbe-1\r\n"
        client.send(
            "POST /mine/x HTTP/1.1\r\nHost: h\r\n\(wrong)Content-Length: 40000\r\n\r\n"
                + String(repeating: "b", count: 40_000) + .get("/open/next"))
        bench.turn(until: { bench.shared.hashes.waiting == 1 })
        bench.settle()
        gate.open(count)
        bench.turn(until: { client.text.contains("HTTP/1.1 401 ") })
        let server = try bench.accepted()
        #expect(bench.head(server).hasPrefix("GET /open/next "))
        server.send(.ok("next"))
        _ = bench.expect(client, ends: "next")
        bench.expectNothingLeft()
    }

    @Test func aFullQueueOfPasswordChecksRefuses() throws {
        let bench = try WorkerBench()
        let (gate, count) = occupy(bench)
        while bench.shared.hashes.submit({}) {}
        let client = bench.client()
        client.send(.get("/mine/x", WorkerBench.credentials))
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains("Retry-After: 1\r\n"))
        gate.open(count)
        bench.expectNothingLeft()
    }

    /// The one who caused the issuer's call has gone; others that wait for the same token still get it.
    @Test func theTokenOfALeaderThatLeftServesTheOthers() throws {
        let gate = Gate()
        let bench = try WorkerBench { $0.issuer = SlowIssuer(gate) }
        let leader = bench.client()
        leader.send(.get("/token/x", WorkerBench.credentials))
        bench.turn(until: { bench.worker.injection.issuedTokens.misses == 1 })
        let follower = bench.client()
        follower.send(.get("/token/y", WorkerBench.credentials))
        bench.turn(until: { bench.worker.injection.issuedTokens.misses == 2 })
        leader.reset()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        gate.open()
        let server = try bench.accepted()
        let head = bench.head(server)
        #expect(head.hasPrefix("GET /token/y "))
        #expect(head.contains("Authorization: Bearer slow\r\n"))
        server.send(.ok("y"))
        _ = bench.expect(follower, ends: "y")
        bench.settle()
        #expect(bench.upstream.accept() == nil)
        bench.expectNothingLeft()
    }

    // MARK: Under way

    /// A listener whose queue is full: connections to it neither stand nor fail.
    private func silentListener() -> (listener: PeerListener, filler: Peer) {
        let listener = PeerListener(backlog: 0)
        return (listener, Peer(port: listener.port))
    }

    @Test func aClientThatLeavesDuringTheConnectLeavesNothing() throws {
        let (listener, filler) = silentListener()
        let bench = try WorkerBench(upstream: listener)
        let client = bench.client()
        client.send(.post("/open/x", "body"))
        bench.turn(until: { bench.worker.pools[0].open == 1 })
        client.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        #expect(bench.worker.pools[0].open == 0)
        bench.expectNothingLeft()
        withExtendedLifetime(filler) {}
    }

    @Test func aConnectThatDoesNotStandTimesOut() throws {
        let (listener, filler) = silentListener()
        let bench = try WorkerBench({ $0.upstream = { $0.settings.connectTimeout = 40 } }, upstream: listener)
        let client = bench.client()
        client.send(.get())
        let answer = bench.expect(client, ends: "}")
        #expect(answer.hasPrefix("HTTP/1.1 504 "))
        #expect(answer.contains("upstream_connect_timeout"))
        bench.expectNothingLeft()
        withExtendedLifetime(filler) {}
    }

    /// UPS-08: who goes while the upstream works, cancels its work.
    @Test(arguments: [true, false])
    func aClientThatLeavesCancelsTheUpstream(byReset: Bool) throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        if byReset { client.reset() } else { client.close() }
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    /// Both have happened before the worker looks: the answer of the upstream, and the client's end.
    @Test func aClientThatLeavesAsTheAnswerComesLeavesNothing() throws {
        for order in 0..<2 {
            let bench = try WorkerBench()
            let client = bench.client()
            let server = try bench.requested(client, .get())
            if order == 0 { client.reset() }
            server.send(.ok("answer"))
            if order == 1 { client.reset() }
            bench.turn(until: { bench.worker.frontend.clients.used == 0 })
            bench.expectNothingLeft()
        }
    }

    @Test func aClientThatLeavesDuringItsUploadLeavesNothing() throws {
        let bench = try WorkerBench()
        let client = bench.client()
        let server = try bench.requested(
            client, "POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
        var sent = 0
        bench.turn(until: {
            let taken = client.send([UInt8](repeating: 65, count: 65_536))
            sent += taken
            return taken == 0
        })
        #expect(sent > 0)
        let held = bench.worker.poller.chunks.inUse
        #expect(held < 32, "the upload waits in the kernel")
        client.close()
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    @Test func aClientThatLeavesDuringItsDownloadLeavesNothing() throws {
        let bench = try WorkerBench()
        let client = bench.client(receiveBuffer: 4_096)
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        bench.turn(until: { server.send([UInt8](repeating: 65, count: 65_536)) == 0 })
        #expect(bench.worker.poller.chunks.inUse < 32, "the download waits in the kernel")
        client.close()
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    // MARK: Slow

    @Test func aSlowHeadIsRefused() throws {
        let bench = try WorkerBench { $0.limits.headerTimeout = 40 }
        let client = bench.client()
        client.send("GET /open/x HTTP/1.1\r\nHo")
        bench.turn(until: { client.isOver })
        #expect(client.text.hasPrefix("HTTP/1.1 408 "))
        #expect(client.ended)
        bench.expectNothingLeft()
    }

    /// Drip-fed bytes do not buy a head more time.
    @Test func aSlowHeadGetsItsTimeOnce() throws {
        let bench = try WorkerBench { $0.limits.headerTimeout = 60 }
        let client = bench.client()
        client.send("GET /open/x HTTP/1.1\r\nX: ")
        let start = Clock.monotonicMilliseconds
        bench.turn(until: {
            client.send("x")
            return client.isOver
        })
        #expect(Clock.monotonicMilliseconds - start < 5_000)
        #expect(client.text.hasPrefix("HTTP/1.1 408 "))
        bench.expectNothingLeft()
    }

    @Test func anIdleClientIsClosedWithoutAWord() throws {
        let bench = try WorkerBench {
            $0.limits.idleTimeout = 40
            $0.limits.headerTimeout = 40
        }
        let silent = bench.client()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("one"))
        _ = bench.expect(client, ends: "one")
        bench.turn(until: { client.isOver && silent.isOver })
        #expect(client.ended && client.text.isEmpty)
        #expect(silent.ended && silent.text.isEmpty)
        bench.expectNothingLeft()
    }

    /// Timers of earlier users of a place do not reach the later ones.
    @Test func aTimerOfAnEarlierConnectionIsNobodys() throws {
        let bench = try WorkerBench { $0.limits.headerTimeout = 80 }
        let first = bench.client()
        first.send("GET ")
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        first.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        bench.pass(milliseconds: 50)
        let second = bench.client()
        let server = try bench.requested(second, .get())
        server.send(.ok("one"))
        _ = bench.expect(second, ends: "one")
        bench.pass(milliseconds: 120)
        #expect(!second.isOver)
        bench.expectNothingLeft()
    }

    @Test func aBodyThatStopsIsRefused() throws {
        let bench = try WorkerBench { $0.limits.bodyTimeout = 40 }
        let client = bench.client()
        let server = try bench.requested(client, "POST /open/x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf")
        bench.turn(until: { client.isOver })
        #expect(client.text.hasPrefix("HTTP/1.1 408 "))
        #expect(client.text.contains("body_timeout"))
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }

    @Test func aClientThatTakesNothingIsCut() throws {
        let bench = try WorkerBench { $0.limits.writeTimeout = 60 }
        let client = bench.client(receiveBuffer: 4_096)
        let server = try bench.requested(client, .get())
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        bench.turn(until: {
            server.send([UInt8](repeating: 65, count: 65_536))
            return bench.worker.frontend.clients.used == 0
        })
        bench.turn(until: { server.isOver })
        bench.expectNothingLeft()
    }
}
