import Testing

@testable import Crypto

@Suite struct SealedRecordTests {
    private static func record(_ seeds: [UInt8], purpose: String = "a") throws -> SealedRecord {
        let keys = seeds.compactMap { seed in
            let bytes = [UInt8](repeating: seed, count: 32)
            return AEADKey(bytes.span)
        }
        return SealedRecord(keys: try #require(AEADKeyRing(keys)), purpose: purpose)
    }

    private func open(_ text: String, _ record: SealedRecord, now: Int64) -> Result<[String], SealedRecord.Failure> {
        let bytes = Array(text.utf8)
        do throws(SealedRecord.Failure) {
            return .success(try record.open(bytes.span, now: now).texts)
        } catch {
            return .failure(error)
        }
    }

    @Test("DEC-12: texts come back as they were, until their date")
    func roundTrip() throws {
        let record = try Self.record([1])
        for texts in [[], [""], ["joe", "", "zoë/1"], [String(repeating: "x", count: 65_535)]] {
            let sealed = record.seal(texts, expiresAt: 1_000)
            #expect(open(sealed, record, now: 999) == .success(texts))
            #expect(open(sealed, record, now: 1_000) == .failure(.expired))
            #expect(
                sealed.utf8.allSatisfy {
                    "-_".utf8.contains($0) || (48...57).contains($0) || (97...122).contains($0 | 32)
                })
        }
        #expect(record.seal(["joe"], expiresAt: 1_000) != record.seal(["joe"], expiresAt: 1_000))
    }

    @Test("a changed character, another purpose and another key open nothing, and say nothing of the date")
    func tampered() throws {
        let record = try Self.record([1])
        let sealed = record.seal(["joe", "7"], expiresAt: 1_000)
        #expect(open(sealed, try Self.record([1], purpose: "b"), now: 2_000) == .failure(.notOurs))
        #expect(open(sealed, try Self.record([2]), now: 2_000) == .failure(.notOurs))
        for place in 0..<(sealed.utf8.count - 1) {
            var bytes = Array(sealed.utf8)
            bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
            #expect(open(String(decoding: bytes, as: UTF8.self), record, now: 0) == .failure(.notOurs), "\(place)")
        }
        for text in ["", "A", "%", String(sealed.dropLast(4)), sealed + "AAAA"] {
            #expect(open(text, record, now: 0) == .failure(.notOurs))
        }
    }

    @Test("DEC-12: what an older key sealed is opened while that key is in the ring")
    func rotation() throws {
        let sealed = try Self.record([1]).seal(["joe"], expiresAt: 1_000)
        #expect(open(sealed, try Self.record([2, 1]), now: 0) == .success(["joe"]))
        let fresh = try Self.record([2, 1]).seal(["ann"], expiresAt: 1_000)
        #expect(open(fresh, try Self.record([2]), now: 0) == .success(["ann"]))
    }
}
