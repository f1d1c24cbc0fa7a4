import Testing

@testable import Gateway

/// RFC 9113 section 6.8: what an HTTP/2 client receives, and when.
@Suite struct FarewellTests {
    @Test func nothingIsSaidBeforeItIsDue() {
        var farewell = ConnectionShutdown()
        #expect(farewell.received(waitsForAll: true, hasHeard: false, now: 0) == nil)
        #expect(farewell.passed(now: 1_000_000) == nil)
        #expect(!farewell.isOver)
    }

    /// A client that is not waiting for all it ever waited for is about to open streams.
    @Test func theFirstWaitsForItsMoment() {
        var farewell = ConnectionShutdown()
        farewell.fallDue(now: 1000)
        #expect(farewell.received(waitsForAll: false, hasHeard: false, now: 1001) == nil)
        #expect(farewell.passed(now: 1499) == nil)
        #expect(farewell.received(waitsForAll: true, hasHeard: false, now: 1499) == .ask)
        #expect(farewell.received(waitsForAll: true, hasHeard: false, now: 1500) == nil)
    }

    @Test func theFirstDoesNotWaitForEver() {
        var farewell = ConnectionShutdown()
        farewell.fallDue(now: 1000)
        farewell.fallDue(now: 1400)
        #expect(farewell.passed(now: 1499) == nil)
        #expect(farewell.passed(now: 1500) == .ask)
        #expect(farewell.passed(now: 1501) == nil)
    }

    @Test func theSecondWaitsUntilTheFirstWasHeard() {
        var farewell = ConnectionShutdown()
        farewell.fallDue(now: 0)
        #expect(farewell.passed(now: 600) == .ask)
        #expect(farewell.received(waitsForAll: true, hasHeard: false, now: 5599) == nil)
        #expect(farewell.passed(now: 5599) == nil)
        #expect(!farewell.isOver)
        #expect(farewell.received(waitsForAll: false, hasHeard: true, now: 5599) == .refuse)
        #expect(farewell.isOver)
        #expect(farewell.received(waitsForAll: true, hasHeard: true, now: 5600) == nil)
        #expect(farewell.passed(now: 100_000) == nil)
    }

    @Test func whoNeverHearsIsNotWaitedForWithoutEnd() {
        var farewell = ConnectionShutdown()
        farewell.fallDue(now: 0)
        #expect(farewell.passed(now: 600) == .ask)
        #expect(farewell.passed(now: 5600) == .refuse)
        #expect(farewell.passed(now: 20_000) == nil)
    }

    @Test func whoHasAskedNothingForLongIsRefusedAtOnce() {
        var farewell = ConnectionShutdown()
        #expect(farewell.refuse() == .refuse)
        #expect(farewell.refuse() == nil)
        farewell.fallDue(now: 0)
        #expect(farewell.passed(now: 600) == nil)
    }
}
