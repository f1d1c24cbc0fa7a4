import Bytes
import Testing

@Suite struct KeyedHashTests {
    private let hash = KeyedHash(seed0: 0x0123_4567_89AB_CDEF, seed1: 0xFEDC_BA98_7654_3210)

    @Test func sameBytesSameHashWhereverTheyLie() {
        let text = Array("....the quick brown fox jumps over the lazy dog and then over the other one".utf8)
        for shift in 0..<4 {
            let slice = Array(text[(4 - shift)...])
            #expect(hash.hash(slice.span.extracting(shift...)) == hash.hash(Array(text[4...]).span))
        }
    }

    /// Every length up to past the 48-byte loop, every byte of each, one bit flipped: about half of the bits change.
    @Test func everyByteCounts() {
        var flipped = 0
        var trials = 0
        for count in 1...130 {
            var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let before = hash.hash(bytes.span)
            for i in 0..<count {
                bytes[i] ^= 1 << UInt8(i & 7)
                let after = hash.hash(bytes.span)
                #expect((before ^ after).nonzeroBitCount > 8)
                flipped += (before ^ after).nonzeroBitCount
                trials += 1
                bytes[i] ^= 1 << UInt8(i & 7)
            }
        }
        let mean = Double(flipped) / Double(trials)
        #expect(mean > 31 && mean < 33)
    }

    @Test func lengthCounts() {
        var seen: Set<UInt64> = []
        for count in 0...200 { seen.insert(hash.hash([UInt8](repeating: 0, count: count).span)) }
        #expect(seen.count == 201)
    }

    @Test func seedsCount() {
        let bytes = Array("token".utf8)
        var seen: Set<UInt64> = []
        for seed in 0..<64 as Range<UInt64> {
            seen.insert(KeyedHash(seed0: seed, seed1: 0).hash(bytes.span))
            seen.insert(KeyedHash(seed0: 0, seed1: seed &+ 1).hash(bytes.span))
        }
        #expect(seen.count == 128)
    }

    /// 100,000 similar keys in 2^17 slots fill as many of them as random numbers would (1 - e^(-n/m) = 0.534).
    @Test func spreadsOverTheLowAndHighBits() {
        for shift in [0, 47] as [UInt64] {
            var slots: Set<UInt64> = []
            for i in 0..<100_000 { slots.insert((hash.hash(Array("user-\(i)".utf8).span) >> shift) & 0x1FFFF) }
            #expect(abs(Double(slots.count) / 131_072 - 0.534) < 0.01)
        }
    }
}
