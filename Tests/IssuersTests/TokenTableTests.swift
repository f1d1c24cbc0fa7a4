import Identity
import Issuers
import Testing

/// The store against a model that keeps everything in one plain array, over seeded random histories.
@Suite struct TokenTableTests {
    private struct Model {
        var entries: [(key: InjectionKey, text: String)] = []
        var evictions: UInt64 = 0
        let capacity: Int

        mutating func use(_ key: InjectionKey) -> String? {
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.text
        }

        mutating func insert(_ key: InjectionKey, _ text: String) {
            if entries.count == capacity {
                entries.removeFirst()
                evictions += 1
            }
            entries.append((key, text))
        }
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test("the table behaves like a simple model", arguments: 1...8)
    func storeBehavesLikeTheModel(_ seed: Int) throws {
        var random = Random(state: UInt64(seed))
        let capacity = 1 + seed
        let store = IssuedTokenStore(maximumEntries: capacity)
        var model = Model(capacity: capacity)
        let keys = (0..<6).flatMap { user in ["A", "B"].map { Callers.key("user\(user)", $0) } }
        for step in 0..<3000 {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                store.purge(subject: key.principal.subject)
                model.entries.removeAll { $0.key.principal.subject == key.principal.subject }
            case 1 where step % 50 == 0:
                store.purgeAll()
                model.entries.removeAll()
            default:
                if let expected = model.use(key) {
                    #expect(store.answer(key, at: 0) == .hit(expected))
                } else {
                    try store.fill(key, "t\(step)", at: 0)
                    model.insert(key, "t\(step)")
                }
            }
            #expect(store.counters.entries == model.entries.count)
            let subject = key.principal.subject
            #expect(store.entries(subject: subject) == model.entries.count { $0.key.principal.subject == subject })
        }
        #expect(store.counters.evictions == model.evictions)
    }
}
