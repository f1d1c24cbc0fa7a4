import Bytes

/// Where a browser returns after login: always a path of this gateway (SCH-02).
package struct ReturnTarget: Equatable, Sendable {
    /// Longest target that is remembered. Sealed it takes a third more, in the address of the login page and in the `state`
    /// that a provider sends back, which fit `limits.maxTargetBytes` (8 KiB) and the lines that most servers take.
    private static let maximumLength = 4096

    /// Path and query, in visible ASCII.
    package let text: String

    /// - Parameter text: path and query as received. Nil for text that a browser could take for another origin, such as
    ///   `//host` and `/\host` (WHATWG URL section 4.4), or with characters that are not allowed in URLs.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == ASCII.slash, bytes.count <= ReturnTarget.maximumLength else { return nil }
        guard bytes.count == 1 || (bytes[1] != ASCII.slash && bytes[1] != ASCII.backslash) else { return nil }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != ASCII.backslash }) else { return nil }
        self.text = text
    }

    /// The target of a request: a longer one is remembered without its query, or else as `/`.
    /// - Parameter text: path and query as received.
    package init(ofRequest text: String) {
        self = ReturnTarget(text) ?? ReturnTarget(String(text.prefix { $0 != "?" })) ?? .root
    }

    private init(known text: String) { self.text = text }

    /// Used if the target is unknown.
    package static let root = ReturnTarget(known: "/")
}
