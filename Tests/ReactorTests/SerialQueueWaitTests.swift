import Testing

@testable import Reactor

/// How long work waits for a second.
@Suite struct SerialQueueWaitTests {
    @Test(arguments: [(20, 70, 20), (60, 70, 60), (6, 5, 5), (3, 5, 3), (-1, 5, 0)] as [(Int64, Int64, Int64)])
    func waits(_ ahead: Int64, _ most: Int64, _ seconds: Int64) {
        let now: Int64 = 1_800_000_000
        let wait = SerialQueue.wait(until: now + ahead, most: most, at: now * 1000)
        #expect(wait >= seconds * 1000 && wait <= seconds * 1000 + Clock.agreementMilliseconds)
    }
}
