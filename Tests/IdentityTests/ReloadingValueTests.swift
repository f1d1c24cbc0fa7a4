import Identity
import Outbound
import Synchronization
import Testing

/// One reading for all, and what becomes of one that fails (JWT-04 to JWT-08).
@Suite struct ReloadingValueTests {
    /// A source that answers when the test says so.
    private final class Source: Sendable {
        private let pending = Mutex<[@Sendable (Int?) -> Void]>([])
        private let calls = Atomic<Int>(0)
        let failures = ReloadFailures()

        var count: Int { calls.load(ordering: .relaxed) }

        func value(_ first: Int, loadedAt: Int64) -> ReloadingValue<Int> {
            ReloadingValue(first, loadedAt: loadedAt, counter: failures) { done in
                self.calls.add(1, ordering: .relaxed)
                self.pending.withLock { $0.append(done) }
            }
        }

        func answer(_ value: Int?) {
            let done = pending.withLock { pending in
                let done = pending
                pending = []
                return done
            }
            for done in done { done(value) }
        }
    }

    /// What an effect came to, once it has.
    private final class Outcome: Sendable {
        private let settled = Mutex<Int?>(nil)
        var value: Int? { settled.withLock { $0 } }

        init(_ effect: Effect<Int>) { follow(effect) }

        private func follow(_ effect: Effect<Int>) {
            switch effect {
            case .done(let value): settled.withLock { $0 = value }
            case .offload(let work), .hash(_, let work): follow(work())
            case .await(let begin): begin { self.follow($0) }
            }
        }
    }

    private func ask(_ value: ReloadingValue<Int>, now: Int64, hit: Bool) -> Outcome {
        Outcome(value.value(now: now, intervals: { _ in .policy }, hit: { _ in hit }))
    }

    @Test("a fresh value is used without a reload")
    func freshValueIsUsed() {
        let source = Source()
        let value = source.value(1, loadedAt: 100)
        #expect(ask(value, now: 105, hit: true).value == 1)
        #expect(ask(value, now: 105, hit: false).value == 1)
        #expect(ask(value, now: 220, hit: true).value == 1)
        #expect(source.count == 0)
    }

    @Test("concurrent triggers cause one reload, whose value all of them get")
    func oneReadingForAll() {
        let source = Source()
        let value = source.value(1, loadedAt: 100)
        let outcomes = [
            ask(value, now: 110, hit: false), ask(value, now: 111, hit: false), ask(value, now: 111, hit: true),
        ]
        #expect(source.count == 1)
        #expect(outcomes.map(\.value) == [nil, nil, nil])
        source.answer(2)
        #expect(outcomes.map(\.value) == [2, 2, 2])
        // The attempt counts from its start.
        #expect(ask(value, now: 119, hit: false).value == 2)
        #expect(source.count == 1)
        #expect(ask(value, now: 120, hit: false).value == nil)
        #expect(source.count == 2)
        source.answer(3)
    }

    @Test("JWT-08: a failed reload keeps the last good value, and counts as an attempt")
    func failedReadingKeepsTheLastGoodValue() {
        let source = Source()
        let value = source.value(1, loadedAt: 0)
        let outcome = ask(value, now: 121, hit: true)
        source.answer(nil)
        #expect(outcome.value == 1)
        #expect(source.failures.count == 1)
        #expect(ask(value, now: 122, hit: true).value == 1)
        #expect(source.count == 1)
        let next = ask(value, now: 131, hit: false)
        source.answer(3)
        #expect(next.value == 3)
        #expect(source.failures.count == 1)
    }

    @Test("setting the clock back does not keep an old value")
    func clockThatWasSetBack() {
        var state = ReloadState(attemptedAt: 1_000)
        #expect(state.ask(now: 10, hit: true, .policy) == .start)
        #expect(state.attemptedAt == 10)
        #expect(state.ask(now: 10, hit: true, .policy) == .join)
        state.finish()
        #expect(state.ask(now: 10, hit: true, .policy) == .use)
    }
}
