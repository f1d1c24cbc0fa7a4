import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Timers can't be cancelled: what they take must not depend on how many connections come and go within a time-out (GW-15).
@Suite struct WorkerTimerTests {
    @Test func connectionsOfAPlaceShareATimer() throws {
        let bench = try WorkerBench()
        func visit() throws {
            let client = bench.client()
            let server = try bench.requested(client, .get())
            server.send(.ok("one", "Connection: close\r\n"))
            _ = bench.expect(client, ends: "one")
            server.close()
            client.close()
            bench.turn(until: { bench.worker.openClients == 0 })
        }
        try visit()
        let timers = bench.worker.poller.timerCount
        for _ in 0..<50 { try visit() }
        #expect(bench.worker.poller.timerCount <= timers)
        bench.expectNothingLeft()
    }

    /// The timer of an earlier connection comes while another has its place: that one has its whole time all the same, and
    /// not more.
    @Test func aConnectionHasItsOwnTimeInAPlaceWithATimer() throws {
        let bench = try WorkerBench { $0.limits.headerTimeout = 200 }
        let first = bench.client()
        bench.turn(until: { bench.worker.openClients == 1 })
        bench.pass(milliseconds: 100)
        first.close()
        bench.turn(until: { bench.worker.openClients == 0 })
        let began = Clock.monotonicMilliseconds
        let second = bench.client()
        second.send("GET /open/x HTTP/1.1\r\nHo")
        bench.turn(until: { second.isOver })
        #expect(second.text.hasPrefix("HTTP/1.1 408 "))
        #expect(Clock.monotonicMilliseconds - began >= 200)
        bench.expectNothingLeft()
    }
}
