import Testing

@testable import Gateway

/// How far a process has followed the deny list: a value, with time as an argument.
@Suite struct FollowingTests {
    /// The value with the times that a gateway has, in a place where expectations can change it.
    private final class Follower {
        var value: RevocationProgress

        init(isShared: Bool, now: Int64) { value = RevocationProgress(isShared: isShared, now: now) }

        init(_ value: RevocationProgress) { self.value = value }

        func asks(_ now: Int64) -> Bool { value.shouldAsk(now: now, every: 250) }
        func compares(_ now: Int64) -> Bool { value.shouldCompare(now: now) }
        func tells(_ count: Int, at now: Int64) -> Bool { value.skip(count, now: now) }
        func expires(_ now: Int64) -> Bool { value.expires(now: now, after: 3000) }

        func toldNothing(at time: Int64) -> RevocationProgress.Condition {
            value.receive(from: 0, last: nil, isPage: false, latest: 0, askedAt: time).before
        }
    }

    @Test func oneQuestionAtATimeAndNotTooOften() {
        let state = Follower(isShared: true, now: 1000)
        #expect(state.asks(1000))
        #expect(!state.asks(2000))
        state.value.asked()
        #expect(state.asks(2000))
        state.value.asked()
        #expect(!state.asks(2249))
        #expect(state.asks(2250))
    }

    @Test func whatIsNotSharedIsNeverAskedNorLost() {
        let state = Follower(isShared: false, now: 0)
        #expect(state.value.condition == .current)
        #expect(!state.asks(1000))
        #expect(!state.expires(1_000_000))
    }

    @Test func silenceIsNoticedOnce() {
        let state = Follower(isShared: true, now: 1000)
        #expect(state.value.condition == .starting)
        #expect(state.toldNothing(at: 1100) == .starting)
        #expect(!state.expires(4100))
        #expect(state.expires(4101))
        #expect(!state.expires(9000))
        #expect(state.value.condition == .lost)
        // The answer is as old as its question.
        #expect(state.toldNothing(at: 9000) == .lost)
        #expect(state.value.condition == .current)
        #expect(!state.expires(12_000))
        #expect(state.expires(12_001))
    }

    @Test func aStoreThatIsNeverReachedIsLost() {
        let state = Follower(isShared: true, now: 1000)
        #expect(state.expires(4001))
    }

    @Test func pagesAreAskedForUntilTheLast() {
        let state = Follower(isShared: true, now: 0)
        var progress = state.value.receive(from: 0, last: 7, isPage: true, latest: 20, askedAt: 0)
        #expect(progress.hasMore && state.value.place == 7 && state.value.condition == .starting)
        progress = state.value.receive(from: 7, last: 15, isPage: false, latest: 20, askedAt: 0)
        // Places up to the last one were given out, and cleaned away.
        #expect(!progress.hasMore && state.value.place == 20 && state.value.condition == .current)
        progress = state.value.receive(from: 7, last: 9, isPage: false, latest: 9, askedAt: 0)
        #expect(state.value.place == 20, "an answer that comes late turns nothing back")
    }

    @Test("a long list is read in pages, each of which is an answer")
    func pagesAreAnswers() {
        let state = Follower(isShared: true, now: 0)
        for page in 1...10 {
            let time = Int64(page) * 1000
            _ = state.value.receive(
                from: Int64(page) - 1, last: Int64(page), isPage: true, latest: 20, askedAt: time)
            #expect(!state.expires(time + 3000) && state.value.condition == .starting)
        }
        #expect(state.expires(13_001))
    }

    @Test("comparisons come one at a time, a pause apart, and each process waits for a time of its own")
    func comparisons() {
        func begins(_ delay: Int64, _ times: ClosedRange<Int64>) -> [Int64] {
            let state = Follower(RevocationProgress(isShared: true, now: 0, comparisonDelay: delay))
            state.value.doubt()
            #expect(!state.compares(0), "nothing is known yet")
            _ = state.toldNothing(at: 0)
            return times.filter { time in
                guard state.compares(time) else { return false }
                // It is lost again while it compares.
                state.value.doubt()
                #expect(!state.compares(time + 5000))
                state.value.compared()
                return true
            }
        }
        #expect(begins(0, 100...2200) == [100, 2100])
        #expect(begins(700, 100...3600) == [800, 3500])
        #expect(Set((0..<50).map { _ in RevocationFollower.Settings().comparisonDelay }).count > 10)
    }

    @Test("entries that cannot be read are counted, and told once a minute")
    func skipped() {
        let state = Follower(isShared: true, now: 0)
        #expect([(0, 0), (2, 10), (3, 60_009), (1, 60_010)].map(state.tells) == [false, true, false, true])
        #expect(state.value.skipped == 6)
    }

    @Test func anEmptiedStoreIsReadFromItsStart() {
        let state = Follower(isShared: true, now: 0)
        _ = state.value.receive(from: 0, last: 20, isPage: false, latest: 20, askedAt: 0)
        let progress = state.value.receive(from: 20, last: nil, isPage: false, latest: 3, askedAt: 0)
        #expect(progress.hasMore && state.value.place == 0)
        _ = state.value.receive(from: 0, last: 3, isPage: false, latest: 3, askedAt: 0)
        #expect(state.value.place == 3)
    }
}
