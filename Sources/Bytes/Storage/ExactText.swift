/// A key that compares text by bytes. By Swift's `==` on strings the Kelvin sign equals K, so that a caller could
/// choose a name that matches another one.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isExactly(right.text)
    }

    /// Also by bytes: the hash of a string is that of its normal form, which takes a second for 60 KB of combining
    /// marks.
    package func hash(into hasher: inout Hasher) {
        // SAFETY: the bytes are read during the call alone.
        unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // A terminator that is not UTF-8, so that consecutive texts are not ambiguous.
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether the texts are equal byte by byte. Swift's `==` compares by canonical equivalence, but names in tokens
    /// are compared without transformation (RFC 7519 section 2, StringOrURI; RFC 8259 section 8.3).
    package func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && bytesEqual(utf8.span, other.utf8.span)
    }
}
