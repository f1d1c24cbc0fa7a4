import Bytes

/// Texts in which `*` stands for zero or more characters other than `.`, `/` and `:` (CORS-05).
package enum SegmentGlob {
    package static let wildcard = UInt8(ascii: "*")

    /// Whether the whole text matches the pattern.
    ///
    /// Backtracking to the last `*` suffices: a `*` never crosses a separator, so that the separators of pattern and
    /// text correspond uniquely, and between them this is the usual glob.
    ///
    /// - Parameter ignoringCase: for a lower-case pattern and case-insensitive text.
    package static func matches(_ pattern: Span<UInt8>, _ text: Span<UInt8>, ignoringCase: Bool) -> Bool {
        var p = 0
        var t = 0
        var starInPattern = -1
        var starInText = 0
        while t < text.count {
            let byte = ignoringCase ? ASCII.lowercased(text[t]) : text[t]
            if p < pattern.count, pattern[p] == wildcard {
                starInPattern = p
                starInText = t
                p += 1
            } else if p < pattern.count, pattern[p] == byte {
                p += 1
                t += 1
            } else if starInPattern >= 0, !isSeparator(text[starInText]) {
                starInText += 1
                t = starInText
                p = starInPattern + 1
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == wildcard { p += 1 }
        return p == pattern.count
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == ASCII.dot || byte == ASCII.slash || byte == ASCII.colon
    }
}
