import Identity
import Model
import Outbound
import Synchronization
import Testing

/// A server's share of the calls that are under way.
@Suite struct SharingCallerTests {
    /// Answers when the test says so.
    private final class Slow: OutboundCaller {
        let waiting = Mutex<[@Sendable (OutboundResult) -> Void]>([])

        func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {
            waiting.withLock { $0.append(then) }
        }

        func answerOne() { waiting.withLock { $0.removeFirst() }(.failed(.timeout)) }
    }

    private final class Results: Sendable {
        let all = Mutex<[OutboundFailure]>([])

        func note(_ result: OutboundResult) {
            if case .failed(let failure, _) = result { all.withLock { $0.append(failure) } }
        }
    }

    @Test(
        "concurrent calls are limited; excess calls fail immediately, and each ended call makes room"
    )
    func share() throws {
        let (slow, results) = (Slow(), Results())
        let caller = SharingCaller(slow, limit: 2)
        let call = OutboundTransport().call(
            "GET", try WebURL("https://idp.example/token"), headers: [], maximumBytes: 1)
        for _ in 0..<3 { caller.perform(call) { results.note($0) } }
        #expect(results.all.withLock { $0 } == [.unavailable] && slow.waiting.withLock { $0.count } == 2)
        slow.answerOne()
        for _ in 0..<2 { caller.perform(call) { results.note($0) } }
        #expect(results.all.withLock { $0 } == [.unavailable, .timeout, .unavailable])
        #expect(slow.waiting.withLock { $0.count } == 2)
        // Who waits holds the caller.
        for _ in 0..<2 { slow.answerOne() }
        #expect(results.all.withLock { $0.count } == 5)
    }
}
