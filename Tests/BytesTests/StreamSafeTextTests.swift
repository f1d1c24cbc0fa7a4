import Bytes
import Foundation
import Testing

/// UAX #15 section 13: without a bound, text of combining marks takes seconds to be compared.
@Suite struct StreamSafeTextTests {
    private func holds(_ bytes: [UInt8]) -> Bool { StreamSafeText.holds(bytes.span) }

    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test("thirty marks in a row, and no more", arguments: ["\u{301}", "\u{345}", "\u{1D165}", "\u{F73}", "\u{5B0}"])
    func marks(_ mark: String) {
        #expect(StreamSafeText.holds(repeated(mark, 30)))
        #expect(!StreamSafeText.holds(repeated(mark, 31)))
        #expect(!StreamSafeText.holds("a" + repeated(mark, 31) + "b"))
        #expect(!StreamSafeText.holds(repeated("\u{4E2D}", 100) + repeated(mark, 31)))
        #expect(StreamSafeText.holds(repeated("a" + repeated(mark, 30), 1000)))
        #expect(StreamSafeText.holds(repeated("\u{4E2D}" + repeated(mark, 30), 1000)))
        #expect(!StreamSafeText.holds(repeated("\u{316}" + mark, 16)))
    }

    @Test(
        "what people write",
        arguments: [
            "", "plain", "\u{E9}t\u{E9}", "e\u{301}te\u{301}", "\u{4E2D}\u{6587}\u{8CC7}\u{6599}",
            "\u{AC00}\u{B098}\u{B2E4}",
            "\u{1112}\u{1161}\u{11AB}", "\u{0E17}\u{0E35}\u{0E48}\u{0E2B}\u{0E19}\u{0E36}\u{0E48}\u{0E07}",
            "\u{0939}\u{093F}\u{0928}\u{094D}\u{0926}\u{0940}", "\u{5D1}\u{5B0}\u{5BC}\u{5E8}\u{5B5}",
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        ])
    func text(_ text: String) {
        #expect(StreamSafeText.holds(text))
        #expect(StreamSafeText.holds(repeated(text, 500)))
        #expect(String(streamSafe: Array(repeated(text, 500).utf8)) == repeated(text, 500))
    }

    /// What has nothing but marks in its normal form must count as one, or a run of it has no bound.
    @Test("no character escapes")
    func everyCharacter() {
        var escaped: [Unicode.Scalar] = []
        for value in 0x80...UInt32(0x2FFFF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let normal = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
            let isMarks = normal.allSatisfy { $0.properties.canonicalCombiningClass != .notReordered }
            if isMarks == StreamSafeText.holds(repeated(String(scalar), 64)) { escaped.append(scalar) }
        }
        #expect(escaped == [])
    }

    @Test("bytes that are no text end a run, as they do where they are made text")
    func malformed() {
        let run = Array(repeated("\u{301}", 30).utf8)
        #expect(holds(run + [0xFF] + run))
        #expect(!holds([0xFF] + run + Array("\u{301}".utf8)))
        #expect(String(streamSafe: run + [0xFF]) == nil)
        #expect(String(streamSafe: run + run) == nil)
        #expect(String(streamSafe: run) != nil)
    }
}
