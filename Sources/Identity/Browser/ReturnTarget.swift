import Bytes

/// Where a browser goes back to after its login: a path of this gateway and nowhere else (SCH-02).
package struct ReturnTarget: Equatable, Sendable {
    /// Longest target that is remembered; a browser that asked for a longer one goes back to `/`.
    private static let maximumLength = 2048

    /// Path and query, in visible ASCII.
    package let text: String

    /// - Parameter text: path and query as received; nil for anything that a browser could take for another place:
    ///   `//host` and `/\host` are (WHATWG URL section 4.4), and so is whatever holds characters that are left out of
    ///   URLs.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == ASCII.slash, bytes.count <= ReturnTarget.maximumLength else { return nil }
        guard bytes.count == 1 || (bytes[1] != ASCII.slash && bytes[1] != ASCII.backslash) else { return nil }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != ASCII.backslash }) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// Where nobody knows where to go back to.
    package static let root = ReturnTarget(known: "/")
}
