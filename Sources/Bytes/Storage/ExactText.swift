/// A text that is compared by its bytes, as a key. Swift's `==` on strings takes the Kelvin sign for a K, and whoever may
/// choose such a name would be taken for somebody else.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isExactly(right.text)
    }

    /// By the bytes too: a string's own hash is that of its normal form, which takes a second for 60 KB of combining
    /// marks, and is the same for all the spellings of a name.
    package func hash(into hasher: inout Hasher) {
        // SAFETY: the bytes are read during the call alone.
        unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // No byte of UTF-8: two texts in a row are told from two others of the same bytes together.
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether the texts are the same bytes. Swift's `==` compares by canonical equivalence, and names in tokens are
    /// compared without any transformation (RFC 7519 section 2, StringOrURI; RFC 8259 section 8.3).
    package func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && bytesEqual(utf8.span, other.utf8.span)
    }
}
