extension String {
    /// Whether the texts are the same bytes. Swift's `==` compares by canonical equivalence, and names in tokens are
    /// compared without any transformation (RFC 7519 section 2, StringOrURI; RFC 8259 section 8.3).
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
