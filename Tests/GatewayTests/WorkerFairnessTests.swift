import HTTP
import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// Issue B: how long others wait for a client that has sent much at once.
@Suite struct WorkerFairnessTests {
    /// Up to a megabyte of frames lies before the worker, and each turn takes one receive buffer of it at the most.
    @Test func oneConnectionHasOneBufferOfATurn() throws {
        let bench = try WorkerBench {
            $0.listeners[0].rules.http2 = true
            $0.limits.http2.maximumPings = 1_000_000
        }
        let busy = bench.client()
        busy.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0\0\0\u{4}\0\0\0\0\0")
        let other = bench.client()
        bench.turn(until: { bench.worker.frontend.clients.used == 2 && !busy.text.isEmpty })
        let ping: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 8)
        let waiting = busy.send((0..<60_000).flatMap { _ in ping })
        #expect(waiting > 4 * Worker.chunkSize, "the kernel holds that many bytes")
        other.send(.get())
        let before = bench.worker.poller.traffic.receivedBytes
        bench.turn()
        let received = Int(bench.worker.poller.traffic.receivedBytes - before)
        #expect(received <= Worker.chunkSize + String.get().utf8.count)
        // The request of the other one is on its way all the same.
        let server = try bench.accepted()
        _ = bench.head(server)
        bench.expectNothingLeft()
    }
}
