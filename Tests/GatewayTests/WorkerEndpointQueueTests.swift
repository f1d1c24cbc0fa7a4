import Dispatch
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// What others notice of clients that ask for tokens (issue C, "must show" 6): a turn of the loop makes one, behind
/// everything else that has come.
@Suite struct WorkerEndpointQueueTests {
    private static let body = "grant_type=client_credentials"
    private static let grant =
        "POST /oauth2/token HTTP/1.1\r\nHost: gw.example.com\r\nAuthorization: Basic Y2xpZW50OnNlY3JldA==\r\n"
        + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"

    private func clients(_ count: Int, _ bench: WorkerBench) -> [Peer] {
        let clients = (0..<count).map { _ in bench.client() }
        bench.turn(until: { bench.worker.frontend.clients.used == count })
        return clients
    }

    private func granted(_ clients: [Peer]) -> Int { clients.reduce(0) { $0 + $1.text.count(of: "\"access_token\"") } }

    @Test func aTurnMakesOneToken() throws {
        let bench = try WorkerBench()
        let clients = clients(4, bench)
        for client in clients { client.send(Self.grant) }
        let counts = (0..<5).map { _ in
            bench.turn()
            return granted(clients)
        }
        #expect(counts == [1, 2, 3, 4, 4])
        bench.expectNothingLeft()
    }

    @Test func aConnectionWithManyRequestsHoldsNobodyUp() throws {
        let bench = try WorkerBench()
        let clients = clients(2, bench)
        clients[0].send(String(repeating: Self.grant, count: 5))
        bench.turn()
        clients[1].send(Self.grant)
        bench.turn()
        bench.turn()
        #expect(granted([clients[1]]) == 1, "its turn comes behind the one that was waiting, not behind all")
        bench.turn(until: { granted([clients[0]]) == 5 })
        bench.expectNothingLeft()
    }

    @Test func whatIsNoTokenGoesFirst() throws {
        let bench = try WorkerBench()
        let clients = clients(5, bench)
        for client in clients.prefix(4) { client.send(Self.grant) }
        bench.turn()
        clients[4].send(.get("/mine/x"))
        bench.turn()
        #expect(clients[4].text.hasPrefix("HTTP/1.1 401 "))
        #expect(granted(clients) == 2)
        bench.turn(until: { granted(clients) == 4 })
        bench.expectNothingLeft()
    }

    /// Nothing else happens while some wait, so that nothing would wake the loop.
    @Test func aLoopWithSomebodyInTheLineDoesNotSleep() throws {
        let bench = try WorkerBench()
        let clients = clients(8, bench)
        for client in clients { client.send(Self.grant) }
        bench.turn()
        let begun = Clock.monotonicMilliseconds
        for _ in 0..<7 { bench.worker.turn() }
        #expect(granted(clients) == 8)
        #expect(Clock.monotonicMilliseconds - begun < 3000, "seven times until the next timer")
        bench.expectNothingLeft()
    }

    @Test func whoLeavesTheLineLosesNobodyElseHisPlace() throws {
        let bench = try WorkerBench()
        let clients = clients(4, bench)
        for client in clients { client.send(Self.grant) }
        bench.turn()
        let waiting = clients.filter { granted([$0]) == 0 }
        #expect(waiting.count == 3)
        waiting[0].reset()
        bench.turn(until: { granted(Array(waiting.dropFirst())) == 2 })
        bench.turn(until: { bench.worker.frontend.clients.used == 3 })
        bench.expectNothingLeft()
    }

    /// A client that shuts its side down behind its request is still answered.
    @Test func aClientThatSaysNoMoreIsServed() throws {
        let bench = try WorkerBench()
        let clients = clients(2, bench)
        for client in clients {
            client.send(Self.grant)
            client.shutdownSending()
        }
        bench.turn(until: { granted(clients) == 2 })
        bench.turn(until: { clients.allSatisfy(\.isOver) })
        bench.expectNothingLeft()
    }

    /// Work that computes for long pauses for the loops; what waits for the system's resolver must not be interrupted.
    @Test func whatComputesPauses() throws {
        let bench = try WorkerBench()
        #expect(bench.shared.computing.pauses)
        #expect(bench.shared.hashes.pauses)
        #expect(!bench.shared.blocking.pauses)
    }

    /// Slow hashes fill no more than half of the processors, and nothing but passwords waits for them.
    @Test func passwordsHaveThreadsOfTheirOwn() throws {
        let bench = try WorkerBench()
        #expect(bench.shared.hashes.width == max(1, WorkerThread.processorCount / 2))
        let gate = bench.occupyPool()
        let client = bench.client()
        client.send(.get("/mine/x", WorkerBench.credentials))
        bench.turn(until: { bench.shared.hashes.waiting == 1 })
        let done = DispatchSemaphore(value: 0)
        #expect(bench.shared.computing.submit { done.signal() })
        #expect(done.wait(timeout: .now() + 10) == .success)
        gate.open()
        let server = try bench.accepted()
        _ = bench.head(server)
        server.send(.ok("1"))
        _ = bench.expect(client, ends: "\r\n\r\n1")
        bench.expectNothingLeft()
    }
}
