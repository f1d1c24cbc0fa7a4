import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Configurations that were replaced are freed beside the loops.
@Suite struct DeferredReleaseTests {
    private final class Value: Sendable {
        private let ended: @Sendable () -> Void
        init(_ ended: @escaping @Sendable () -> Void = {}) { self.ended = ended }
        deinit { ended() }
    }

    @Test("the last holder of a value does not free it")
    func freedElsewhere() throws {
        let retirement = DeferredRelease<Value>(reviewedEvery: 5)
        let end = DispatchSemaphore(value: 0)
        let thread = Mutex(pthread_t())
        withExtendedLifetime(thread) {
            var used: Value? = Value {
                thread.withLock { $0 = pthread_self() }
                end.signal()
            }
            if let used { retirement.replace(with: used) }
            retirement.replace(with: Value())
            used = nil
            end.wait()
        }
        #expect(thread.withLock { $0 } != pthread_self())
    }

    @Test("an exchange that waits for a request keeps no former configuration")
    func vacantExchanges() throws {
        let bench = try WorkerBench()
        var before: GatewaySnapshot? = try bench.snapshot(generation: 2) { _ in }
        weak let watched = before
        if let before { bench.shared.use(before) }
        before = nil
        bench.settle()
        let client = bench.client()
        let server = try bench.requested(client, .get())
        server.send(.ok("x"))
        bench.turn(until: { client.text.hasSuffix("x") })
        #expect(watched != nil)
        bench.shared.use(try bench.snapshot(generation: 3) { _ in })
        bench.turn(until: { watched == nil })
    }
}
