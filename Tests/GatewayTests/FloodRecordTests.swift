import HTTP
import Model
import Testing

@testable import Gateway

/// Addresses whose connections were ended for floods. Time is an argument, in milliseconds.
@Suite struct FloodRecordTests {
    private let bad = IPAddress(v4: 0xc000_0201)
    private let good = IPAddress(v4: 0xc000_0202)

    @Test func anAddressIsBarredByItsLastFloodAndNoOther() {
        let record = FloodRecord()
        for count in 0..<5 {
            #expect(!record.bars(bad, limit: 5, now: 1000), "\(count) floods")
            record.note(bad, limit: 5, now: 1000)
        }
        #expect(record.bars(bad, limit: 5, now: 1000))
        #expect(!record.bars(good, limit: 5, now: 1000))
    }

    @Test func floodsAreForgivenOneByOne() {
        let record = FloodRecord()
        for _ in 0..<50 { record.note(bad, limit: 5, now: 0) }
        #expect(record.bars(bad, limit: 5, now: 1999))
        #expect(!record.bars(bad, limit: 5, now: 2000))
        record.note(bad, limit: 5, now: 2000)
        #expect(record.bars(bad, limit: 5, now: 3999))
        // With the whole window all of them are.
        for _ in 0..<5 {
            #expect(!record.bars(bad, limit: 5, now: 14_000))
            record.note(bad, limit: 5, now: 14_000)
        }
        #expect(record.bars(bad, limit: 5, now: 14_000))
    }

    @Test func aNetworkOfIPv6IsOneParty() {
        let record = FloodRecord()
        let network: UInt64 = 0x2001_0db8_0000_0001
        record.note(IPAddress(high: network, low: 1), limit: 1, now: 0)
        #expect(record.bars(IPAddress(high: network, low: 2), limit: 1, now: 0))
        #expect(!record.bars(IPAddress(high: network + 1, low: 1), limit: 1, now: 0))
    }
}
