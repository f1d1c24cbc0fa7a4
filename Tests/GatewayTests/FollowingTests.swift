import Testing

@testable import Gateway

/// How far a process has followed the deny list: a value, with time as an argument.
@Suite struct FollowingTests {
    @Test func oneQuestionAtATimeAndNotTooOften() {
        var state = Following(isShared: true, now: 1000)
        #expect(state.shouldAsk(now: 1000, every: 250))
        #expect(!state.shouldAsk(now: 2000, every: 250))
        state.asked()
        #expect(state.shouldAsk(now: 2000, every: 250))
        state.asked()
        #expect(!state.shouldAsk(now: 2249, every: 250))
        #expect(state.shouldAsk(now: 2250, every: 250))
    }

    @Test func whatIsNotSharedIsNeverAskedNorLost() {
        var state = Following(isShared: false, now: 0)
        #expect(state.condition == .current)
        #expect(!state.shouldAsk(now: 1000, every: 250))
        #expect(!state.expires(now: 1_000_000, after: 3000))
    }

    @Test func silenceIsNoticedOnce() {
        var state = Following(isShared: true, now: 1000)
        #expect(state.condition == .starting)
        #expect(state.told(from: 0, last: nil, isPage: false, latest: 0, askedAt: 1100).before == .starting)
        #expect(!state.expires(now: 4100, after: 3000))
        #expect(state.expires(now: 4101, after: 3000))
        #expect(!state.expires(now: 9000, after: 3000))
        #expect(state.condition == .lost)
        // The answer is as old as its question.
        #expect(state.told(from: 0, last: nil, isPage: false, latest: 0, askedAt: 9000).before == .lost)
        #expect(state.condition == .current)
        #expect(!state.expires(now: 12_000, after: 3000))
        #expect(state.expires(now: 12_001, after: 3000))
    }

    @Test func aStoreThatIsNeverReachedIsLost() {
        var state = Following(isShared: true, now: 1000)
        #expect(state.expires(now: 4001, after: 3000))
    }

    @Test func pagesAreAskedForUntilTheLast() {
        var state = Following(isShared: true, now: 0)
        var progress = state.told(from: 0, last: 7, isPage: true, latest: 20, askedAt: 0)
        #expect(progress.hasMore && state.place == 7 && state.condition == .starting)
        progress = state.told(from: 7, last: 15, isPage: false, latest: 20, askedAt: 0)
        // Places up to the last one were given out, and cleaned away.
        #expect(!progress.hasMore && state.place == 20 && state.condition == .current)
        progress = state.told(from: 7, last: 9, isPage: false, latest: 9, askedAt: 0)
        #expect(state.place == 20, "an answer that comes late turns nothing back")
    }

    @Test func anEmptiedStoreIsReadFromItsStart() {
        var state = Following(isShared: true, now: 0)
        _ = state.told(from: 0, last: 20, isPage: false, latest: 20, askedAt: 0)
        let progress = state.told(from: 20, last: nil, isPage: false, latest: 3, askedAt: 0)
        #expect(progress.hasMore && state.place == 0)
        _ = state.told(from: 0, last: 3, isPage: false, latest: 3, askedAt: 0)
        #expect(state.place == 3)
    }
}
