import Testing

@testable import Gateway

@Suite struct RepetitionsTests {
    @Test("one of a kind is written, and a minute later the next with the number of those in between")
    func kinds() {
        let events = Repetitions<Int>()
        #expect(events.note(1, now: 0) == 0 && events.note(2, now: 1) == 0)
        #expect(events.note(1, now: 2) == nil && events.note(1, now: 59_999) == nil)
        #expect(events.note(1, now: 60_000) == 2)
        #expect(events.note(1, now: 120_000) == 0)
    }

    @Test("kinds beyond the bound are written as one, so that made-up ones hide no others")
    func manyKinds() {
        let events = Repetitions<Int>()
        let first = (0..<1_000).map { events.note($0, now: Int64($0)) }
        #expect(first.compactMap(\.self).count == 257)
        #expect(events.note(5_000, now: 2_000) == nil && events.note(3, now: 2_000) == nil)
        #expect(events.note(3, now: 60_003) == 1)
        // The bound is free again, and full a moment later: the next one beyond it tells how many there were.
        for kind in 6_000..<6_254 { #expect(events.note(kind, now: 62_000) == 0) }
        #expect(events.note(7_000, now: 62_000) == 744 && events.note(7_001, now: 62_000) == nil)
    }
}
