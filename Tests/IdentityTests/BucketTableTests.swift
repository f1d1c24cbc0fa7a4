import Testing

@testable import Identity

@Suite struct BucketTableTests {
    @Test("a table from which nothing was taken has nothing used up, and one that was used counts")
    func firstUse() {
        var table = BucketTable(sets: 4)
        let rate = BucketRate(1, perMilliseconds: 1000, burst: 1)
        for key in [0, 7] as [UInt64] {
            #expect(!table.isUsedUp(key, at: 1, rate) && table.usedUntil(key) == 0)
            table.giveBack(key, rate)
            #expect(table.take(key, at: 1, rate) == 0)
            #expect(table.isUsedUp(key, at: 1, rate) && table.usedUntil(key) == 1_000_000_001)
            #expect(table.take(key, at: 1, rate) == 1_000_000_000)
            table.giveBack(key, rate)
            #expect(table.take(key, at: 1, rate) == 0)
        }
    }
}
