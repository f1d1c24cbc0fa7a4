/// A text that is compared by its bytes, as a key. Swift's `==` on strings takes the Kelvin sign for a K, and whoever may
/// choose such a name would be taken for somebody else.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        bytesEqual(left.text.utf8.span, right.text.utf8.span)
    }

    /// Texts of the same bytes are the same to Swift too, and so is their hash.
    package func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }
}
