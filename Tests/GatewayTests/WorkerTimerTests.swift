import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Timers can't be cancelled: what they take must not depend on how many connections come and go within a time-out (GW-15).
@Suite struct WorkerTimerTests {
    /// No time is over during the test.
    private func patient() throws -> WorkerBench {
        try WorkerBench {
            $0.listeners[0].rules.http2 = true
            $0.limits.headerTimeout = 600_000
            $0.limits.idleTimeout = 600_000
            $0.limits.bodyTimeout = 600_000
            $0.limits.writeTimeout = 600_000
            $0.upstream = {
                $0.settings.connectTimeout = 600_000
                $0.settings.responseTimeout = 600_000
                $0.settings.idleTimeout = 600_000
            }
        }
    }

    @Test func connectionsOfAPlaceShareATimer() throws {
        let bench = try patient()
        func visit() throws {
            let client = bench.client()
            let server = try bench.requested(client, .get())
            server.send(.ok("one", "Connection: close\r\n"))
            _ = bench.expect(client, ends: "one")
            server.close()
            client.close()
            bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        }
        try visit()
        let timers = bench.worker.poller.timerCount
        for _ in 0..<50 { try visit() }
        #expect(bench.worker.poller.timerCount <= timers)
        bench.expectNothingLeft()
    }

    @Test func streamsOfAPlaceShareATimer() throws {
        let bench = try patient()
        let client = bench.h2Client()
        var upstream: Peer?
        func visit() throws {
            let id = try client.request("POST", ends: false)
            let server = try upstream ?? bench.accepted()
            upstream = server
            _ = bench.head(server)
            client.finish(id)
            client.move()
            bench.turn(until: { server.text.hasSuffix("0\r\n\r\n") })
            server.forget()
            server.send(.ok("one"))
            #expect(bench.answer(client, id).text == "one")
        }
        try visit()
        let timers = bench.worker.poller.timerCount
        for _ in 0..<50 { try visit() }
        #expect(bench.worker.poller.timerCount <= timers)
        bench.expectNothingLeft()
    }

    private final class Place: Timed {
        var deadline = Int64.max
        var timerAt = Int64.max
        var laterTimerAt = Int64.max
        let timer = TimerToken(role: 200, owner: 0)
    }

    @Test func aShortDeadlineKeepsTheTimerOfALongOne() throws {
        let bench = try patient()
        let worker = bench.worker
        let place = Place()
        let timers = worker.poller.timerCount
        for _ in 0..<5 {
            worker.poller.setDeadline(place, in: 10)
            let end = place.deadline
            bench.turn(until: { worker.poller.now > end + 2 * TimerWheel.resolution })
            #expect(worker.poller.hasCome(place))
            worker.poller.setDeadline(place, in: 600_000)
            #expect(!worker.poller.hasCome(place))
        }
        #expect(worker.poller.timerCount <= timers + 1)
        #expect(place.timerAt <= place.deadline)
    }

    /// The timer of an earlier connection comes while another has its place: that one has its whole time all the same, and
    /// not more.
    @Test func aConnectionHasItsOwnTimeInAPlaceWithATimer() throws {
        let bench = try WorkerBench { $0.limits.headerTimeout = 200 }
        let first = bench.client()
        bench.turn(until: { bench.worker.frontend.clients.used == 1 })
        bench.pass(milliseconds: 100)
        first.close()
        bench.turn(until: { bench.worker.frontend.clients.used == 0 })
        let began = Clock.monotonicMilliseconds
        let second = bench.client()
        second.send("GET /open/x HTTP/1.1\r\nHo")
        bench.turn(until: { second.isOver })
        #expect(second.text.hasPrefix("HTTP/1.1 408 "))
        #expect((200..<10_000).contains(Clock.monotonicMilliseconds - began))
        bench.expectNothingLeft()
    }
}
