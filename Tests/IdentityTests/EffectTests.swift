import Identity
import Outbound
import Synchronization
import TestSupport
import Testing

@Suite("Effects") struct EffectTests {
    /// A value that needs all three kinds of waiting.
    private func steps(_ log: Log) -> Effect<Int> {
        .offload {
            log.add("offloaded")
            return .await { resume in
                log.add("asked")
                resume(.done(20))
            }
        }
    }

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test("an effect does nothing before it is performed")
    func nothingIsDoneBeforeItIsAskedFor() {
        let log = Log()
        let effect = steps(log).map { $0 + 1 }.then { value in
            Effect<String>.answer(of: { done in done(value * 2) }) { .done("\($0)") }
        }
        #expect(log.lines.withLock { $0 }.isEmpty)
        #expect(effect.settled() == "42")
        #expect(log.lines.withLock { $0 } == ["offloaded", "asked"])
    }

    @Test("a value continues immediately")
    func aValueLeadsOnAtOnce() {
        guard case .done(let value) = Effect.done(1).map({ $0 + 1 }) else {
            Issue.record("a value that is there is not waited for")
            return
        }
        #expect(value == 2)
    }
}
