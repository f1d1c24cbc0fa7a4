import TestSupport
import Testing
import TokenStorage

@Suite struct MemoryTokenStoreTests {
    @Test func fullIsFullUntilSomethingEnds() async throws {
        let store = MemoryTokenStore(capacity: 3)
        for id in ["a", "b", "c"] { _ = try await store.ask(.insert(record(id, access: 1100, refresh: nil))) }
        await #expect(throws: StoreFailure.full) { try await store.ask(.insert(record("d"))) }
        await #expect(throws: StoreFailure.full) {
            try await store.ask(
                .rotate(refresh: [], application: "", proposed: record("d"), reuse: .detected()))
        }
        #expect(try await store.records().count == 3)
        #expect(try await store.ask(.insert(record("d")), now: 1100) == .record(record("d")))
        #expect(try await store.records() == [record("d")])
    }

    @Test func whatIsFullStillRevokes() async throws {
        let store = MemoryTokenStore(capacity: 3)
        for id in ["a", "b", "c"] { _ = try await store.ask(.insert(record(id))) }
        for index in 0..<3 { _ = try await store.ask(.deny(.token("x\(index)", until: 2000))) }
        guard case .removed(let gone) = try await store.ask(.revoke(.application("shop"))) else { return }
        #expect(gone.count == 3)
        #expect(try await store.denied().count == 6)
        // No entry goes before its time: new ones are refused instead.
        await #expect(throws: StoreFailure.full) { try await store.ask(.deny(.token("y", until: 2000))) }
        await #expect(throws: StoreFailure.full) { try await store.ask(.insert(record("d"))) }
        #expect(try await store.ask(.deny(.token("y", until: 3000)), now: 2000) == .denied(sequence: 7))
    }
}
