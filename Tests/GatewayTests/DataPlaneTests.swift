import TestSupport
import Testing

@testable import Gateway

/// The threads of the workers.
@Suite struct DataPlaneTests {
    @Test("the configuration of the start is freed once another one is in force")
    func start() throws {
        let bench = try WorkerBench()
        let shared = try bench.anotherShared()
        var first: GatewaySnapshot? = try bench.snapshot(generation: 1) { _ in }
        weak let watched = first
        let plane = try DataPlane(shared: shared, snapshot: try #require(first), listeners: [[]])
        defer {
            shared.drain()
            plane.join()
        }
        first = nil
        #expect(watched != nil)
        shared.use(try bench.snapshot(generation: 2) { _ in })
        bench.turn(until: { watched == nil })
        #expect(watched == nil)
    }
}
