/// A text that is compared by its bytes, as a key. Swift's `==` on strings takes the Kelvin sign for a K, and whoever may
/// choose such a name would be taken for somebody else.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        bytesEqual(left.text.utf8.span, right.text.utf8.span)
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
