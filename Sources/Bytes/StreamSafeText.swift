/// Untrusted text with bounded processing cost.
///
/// Swift's `==`, `switch`, `hasPrefix` and `hash` normalise text, which sorts each run of combining marks: 64 KB of
/// marks take half a second each time. UAX #15 section 13 ("Stream-Safe Text Format") limits a run to 30 marks, far
/// more than any language uses. All input that becomes text is checked for this limit.
package enum StreamSafeText {
    /// Maximum number of consecutive marks.
    package static let maximumMarks = 30

    /// A mark has at least two bytes, all above ASCII.
    private static let harmlessBytes = maximumMarks * 2 + 1

    /// Whether the text is in that format.
    package static func holds(_ text: String) -> Bool { isHarmless(text.utf8.span) || hasFewMarks(text) }

    /// The same for bytes that may be invalid UTF-8, which ends a run, as in decoding.
    package static func holds(_ bytes: Span<UInt8>) -> Bool {
        isHarmless(bytes) || hasFewMarks(String(copying: bytes))
    }

    /// Fast path: whether no run of non-ASCII bytes is long enough for too many marks.
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

    /// Whether the character is a nonstarter or decomposes to nonstarters, as three vowel signs of Tibetan (section 13,
    /// "leading nonstarters").
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300: false
        case 0x0F73, 0x0F75, 0x0F81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension String {
    /// The text of untrusted bytes; nil if they are not UTF-8 or not stream-safe.
    package init?(streamSafe bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), StreamSafeText.holds(text) else { return nil }
        self = text
    }
}
