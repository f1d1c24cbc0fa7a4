import Testing

@testable import Crypto

@Suite struct SealedRecordTests {
    private static func ring(_ seeds: [UInt8]) -> AEADKeyRing {
        AEADKeyRing(seeds.map { AEADKey([UInt8](repeating: $0, count: 32).span)! })!
    }

    private func open(_ text: String, _ record: SealedRecord, now: Int64) -> [String]? {
        let bytes = Array(text.utf8)
        return record.open(bytes.span, now: now)?.texts
    }

    @Test("DEC-12: texts come back as they were, until their date")
    func roundTrip() {
        let record = SealedRecord(keys: Self.ring([1]), purpose: "a")
        for texts in [[], [""], ["joe", "", "zoë/1"], [String(repeating: "x", count: 65_535)]] {
            let sealed = record.seal(texts, expiresAt: 1_000)
            #expect(open(sealed, record, now: 999) == texts)
            #expect(open(sealed, record, now: 1_000) == nil)
            #expect(sealed.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || ($0 | 0x20 >= 0x61) || ($0 >= 0x30 && $0 <= 0x39) })
        }
        #expect(record.seal(["joe"], expiresAt: 1_000) != record.seal(["joe"], expiresAt: 1_000))
    }

    @Test("a changed bit, another purpose and another key open nothing")
    func tampered() {
        let record = SealedRecord(keys: Self.ring([1]), purpose: "a")
        let sealed = record.seal(["joe", "7"], expiresAt: 1_000)
        #expect(open(sealed, SealedRecord(keys: Self.ring([1]), purpose: "b"), now: 0) == nil)
        #expect(open(sealed, SealedRecord(keys: Self.ring([2]), purpose: "a"), now: 0) == nil)
        for place in sealed.utf8.indices {
            var bytes = Array(sealed.utf8)
            let offset = sealed.utf8.distance(from: sealed.startIndex, to: place)
            bytes[offset] = bytes[offset] == 0x41 ? 0x42 : 0x41
            #expect(open(String(decoding: bytes, as: UTF8.self), record, now: 0) != ["joe", "7"] || bytes == Array(sealed.utf8))
        }
        for text in ["", "A", "%", String(sealed.dropLast(4))] { #expect(open(text, record, now: 0) == nil) }
    }

    @Test("DEC-12: what an older key sealed is opened while that key is in the ring")
    func rotation() {
        let old = SealedRecord(keys: Self.ring([1]), purpose: "a")
        let sealed = old.seal(["joe"], expiresAt: 1_000)
        #expect(open(sealed, SealedRecord(keys: Self.ring([2, 1]), purpose: "a"), now: 0) == ["joe"])
        let fresh = SealedRecord(keys: Self.ring([2, 1]), purpose: "a").seal(["ann"], expiresAt: 1_000)
        #expect(open(fresh, SealedRecord(keys: Self.ring([2]), purpose: "a"), now: 0) == ["ann"])
    }
}
