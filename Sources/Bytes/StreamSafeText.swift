/// Text that others have chosen, bounded in what looking at it may cost.
///
/// Swift's `==`, `switch`, `hasPrefix` and `hash` take text in its normal form, for which each run of combining marks is
/// sorted: 64 KB of them take half a second, and that each time. UAX #15 section 13 bounds it ("Stream-Safe Text Format"):
/// no more than 30 marks in a row, which is far more than any language has. Whatever makes text of what a caller sends
/// refuses what is beyond.
package enum StreamSafeText {
    /// How many marks may follow each other.
    package static let maximumMarks = 30

    /// A mark has at least two bytes, each of them above ASCII.
    private static let harmlessBytes = maximumMarks * 2 + 1

    /// Whether the text is in that format.
    package static func holds(_ text: String) -> Bool { isHarmless(text.utf8.span) || hasFewMarks(text) }

    /// The same for bytes that may be no text: what is none ends a run, as it does where they are made text.
    package static func holds(_ bytes: Span<UInt8>) -> Bool {
        isHarmless(bytes) || hasFewMarks(String(copying: bytes))
    }

    /// Whether there are too few bytes above ASCII in a row for too many marks: true for most text, and found out fast.
    private static func isHarmless(_ bytes: Span<UInt8>) -> Bool {
        var run = 0
        for i in bytes.indices {
            run = bytes[i] < 0x80 ? 0 : run &+ 1
            if run > harmlessBytes { return false }
        }
        return true
    }

    private static func hasFewMarks(_ text: String) -> Bool {
        var marks = 0
        for scalar in text.unicodeScalars {
            guard isMark(scalar) else {
                marks = 0
                continue
            }
            marks += 1
            if marks > maximumMarks { return false }
        }
        return true
    }

    /// Whether the character stands behind a base in the normal form, or is made of such: three vowel signs of Tibetan are
    /// the latter alone (section 13, "leading nonstarters").
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300: false
        case 0x0F73, 0x0F75, 0x0F81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension String {
    /// The text of bytes that a caller has chosen; nil where they are no UTF-8, or not stream-safe.
    package init?(streamSafe bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), StreamSafeText.holds(text) else { return nil }
        self = text
    }
}
