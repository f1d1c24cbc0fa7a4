import Bytes

/// A piece of a URL pattern in which `*` stands for zero or more characters other than `.`, `/` and `:` (CORS-05).
package struct SegmentGlob: Equatable, Sendable {
    /// The pattern, in lower case where it is compared without case.
    private let pattern: [UInt8]
    private let ignoresCase: Bool
    /// Whether there is a `*` in it.
    package let hasWildcard: Bool

    package init(_ text: some Sequence<UInt8>, ignoringCase: Bool) {
        pattern = ignoringCase ? text.map(ASCII.lowercased) : Array(text)
        ignoresCase = ignoringCase
        hasWildcard = pattern.contains(UInt8(ascii: "*"))
    }

    /// Whether the whole text fits.
    ///
    /// Going back to the last `*` alone is enough: a `*` never crosses a separator, so that the separators of pattern
    /// and text pair up in one way only, and between two of them this is the usual glob.
    package func matches(_ text: Span<UInt8>) -> Bool {
        var p = 0
        var t = 0
        var starInPattern = -1
        var starInText = 0
        while t < text.count {
            let byte = ignoresCase ? ASCII.lowercased(text[t]) : text[t]
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                starInPattern = p
                starInText = t
                p += 1
            } else if p < pattern.count, pattern[p] == byte {
                p += 1
                t += 1
            } else if starInPattern >= 0, !SegmentGlob.isSeparator(text[starInText]) {
                starInText += 1
                t = starInText
                p = starInPattern + 1
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
        return p == pattern.count
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == ASCII.dot || byte == ASCII.slash || byte == ASCII.colon
    }
}
