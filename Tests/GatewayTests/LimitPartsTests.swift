import HTTP
import Model
import Testing

@testable import Gateway

@Suite struct AddressTallyTests {
    private let v4 = IPAddress(v4: 0xc000_0201)

    @Test func soManyEnterAndAPlaceIsFreeAgainWhenOneLeaves() {
        let tally = AddressTally()
        #expect((0..<4).map { _ in tally.acquire(v4, limit: 3) } == [true, true, true, false])
        #expect(tally.acquire(IPAddress(v4: 0xc000_0202), limit: 3))
        tally.release(v4)
        #expect(tally.count(v4) == 2)
        #expect(tally.acquire(v4, limit: 3))
        #expect(!tally.acquire(v4, limit: 3))
        // A lower limit of a new configuration holds for those who come.
        #expect(!tally.acquire(v4, limit: 1))
        #expect(tally.acquire(v4, limit: 0))
    }

    @Test func aNetworkOfIPv6IsOneParty() {
        let tally = AddressTally()
        #expect(tally.acquire(IPAddress(high: 0x2001_0db8_0000_0001, low: 1), limit: 2))
        #expect(tally.acquire(IPAddress(high: 0x2001_0db8_0000_0001, low: 2), limit: 2))
        #expect(!tally.acquire(IPAddress(high: 0x2001_0db8_0000_0001, low: 3), limit: 2))
        #expect(tally.acquire(IPAddress(high: 0x2001_0db8_0000_0002, low: 1), limit: 2))
    }

    @Test func nothingIsLeftOfThoseWhoHaveGone() async {
        let tally = AddressTally()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for i in 0..<2000 {
                        let address = IPAddress(v4: UInt32((i + task) % 97))
                        if tally.acquire(address, limit: 3) { tally.release(address) }
                    }
                }
            }
        }
        #expect(tally.parties == 0)
        tally.release(v4)
        #expect(tally.parties == 0)
    }
}

/// Least rates of request bodies and of readers of responses.
@Suite struct PaceTests {
    private static let allowance: Int64 = 30_000
    private static let rate = 256

    /// When a peer that moves `count` bytes every `period` milliseconds is cut off; nil where it is not within an hour.
    private func end(moving count: Int, every period: Int64, rate: Int = PaceTests.rate) -> Int64? {
        var pace = Pace()
        pace.start(now: 0, allowance: Self.allowance)
        var now: Int64 = 0
        while now < 3_600_000 {
            now += period
            if now >= pace.deadline { return pace.deadline }
            pace.moved(count, now: now, rate: rate, allowance: Self.allowance)
        }
        return nil
    }

    @Test func whoKeepsToTheRateIsNeverCutOff() {
        #expect(end(moving: 256, every: 1000) == nil)
        #expect(end(moving: 26, every: 100) == nil)
        #expect(end(moving: 256 * 20, every: 20_000) == nil)
        #expect(end(moving: 64 * 1024, every: 29_999) == nil)
    }

    @Test func whoIsSlowerLosesWhatHeLacks() throws {
        #expect(end(moving: 0, every: 1000) == 30_000)
        let half = try #require(end(moving: 128, every: 1000))
        #expect((55_000...61_000).contains(half))
        let byteByByte = try #require(end(moving: 1, every: 1000))
        #expect((30_000...31_000).contains(byteByByte))
        let nearly = try #require(end(moving: 250, every: 1000))
        #expect(nearly < 30_000 * 256 / 6 + 10_000)
    }

    @Test func aFastBeginningIsWorthNoMoreThanTheAllowance() {
        var pace = Pace()
        pace.start(now: 0, allowance: Self.allowance)
        pace.moved(100 << 20, now: 1000, rate: Self.rate, allowance: Self.allowance)
        #expect(pace.deadline == 31_000)
        #expect(end(moving: 1 << 20, every: 30_000) == 30_000)
    }

    @Test func withoutARateAnyByteIsEnough() {
        #expect(end(moving: 1, every: 29_999, rate: 0) == nil)
        #expect(end(moving: 1, every: 30_000, rate: 0) == 30_000)
        #expect(end(moving: 0, every: 1000, rate: 0) == 30_000)
    }

    @Test func theClockStandsStillWhileItIsNotThePeersTurn() {
        var pace = Pace()
        pace.start(now: 0, allowance: Self.allowance)
        pace.pause(now: 10_000)
        #expect(pace.deadline == .max)
        pace.moved(1000, now: 11_000, rate: Self.rate, allowance: Self.allowance)
        pace.pause(now: 12_000)
        #expect(pace.deadline == .max)
        pace.resume(now: 100_000, allowance: Self.allowance)
        #expect(pace.deadline == 120_000)
        pace.resume(now: 110_000, allowance: Self.allowance)
        #expect(pace.deadline == 120_000)
        pace.pause(now: 119_999)
        pace.resume(now: 200_000, allowance: Self.allowance)
        #expect(pace.deadline == 201_000)
    }
}

@Suite struct BufferBudgetTests {
    @Test func workersTellWhatHasChangedByMuch() {
        let budget = BufferBudget()
        var (one, two) = (BufferShare(), BufferShare())
        one.tell(10_000, to: budget)
        #expect(budget.bytes == 0)
        one.tell(100_000, to: budget)
        two.tell(200_000, to: budget)
        #expect(budget.bytes == 300_000)
        one.tell(120_000, to: budget)
        #expect(budget.bytes == 300_000)
        two.tell(100_000, to: budget)
        #expect(budget.bytes == 200_000)
        one.tell(0, to: budget)
        two.tell(0, to: budget)
        #expect(budget.bytes == 0)
    }

    @Test func pressureGrowsInTwoSteps() {
        #expect(BufferShare.pressure(.max, ceiling: 0) == .none)
        #expect(BufferShare.pressure(874, ceiling: 1000) == .none)
        #expect(BufferShare.pressure(875, ceiling: 1000) == .high)
        #expect(BufferShare.pressure(999, ceiling: 1000) == .high)
        #expect(BufferShare.pressure(1000, ceiling: 1000) == .over)
    }
}
