import Testing

@testable import Gateway

/// How far a process has followed the deny list: a value, with time as an argument.
@Suite struct FollowingTests {
    /// The value with the times that a gateway has, in a place where expectations can change it.
    private final class Follower {
        var value: RevocationProgress

        init(isShared: Bool, now: Int64) { value = RevocationProgress(isShared: isShared, now: now) }

        func asks(_ now: Int64) -> Bool { value.shouldAsk(now: now, every: 250) }
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

    @Test func anEmptiedStoreIsReadFromItsStart() {
        let state = Follower(isShared: true, now: 0)
        _ = state.value.receive(from: 0, last: 20, isPage: false, latest: 20, askedAt: 0)
        let progress = state.value.receive(from: 20, last: nil, isPage: false, latest: 3, askedAt: 0)
        #expect(progress.hasMore && state.value.place == 0)
        _ = state.value.receive(from: 0, last: 3, isPage: false, latest: 3, askedAt: 0)
        #expect(state.value.place == 3)
    }
}
