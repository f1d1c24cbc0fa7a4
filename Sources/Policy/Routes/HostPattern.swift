import Bytes
import HTTP

/// A host of a route: a name, or `*.` and a name for all names with exactly one label more.
package struct HostPattern: Hashable, Sendable {
    /// In lower case, without the `*.`.
    package let name: [UInt8]
    package let isWildcard: Bool

    /// - Returns: nil where no request can have the host.
    package init?(_ text: String) {
        isWildcard = text.hasPrefix("*.")
        name = text.utf8.dropFirst(isWildcard ? 2 : 0).map(ASCII.lowercased)
        let isAddress = name.first == UInt8(ascii: "[")
        if isAddress {
            guard !isWildcard, SerializedOrigin.endOfAddress(name.span, from: 0) == name.count else { return nil }
        } else {
            for label in name.split(separator: ASCII.dot, omittingEmptySubsequences: false) {
                guard !label.isEmpty, label.allSatisfy(SerializedOrigin.isNameCharacter) else { return nil }
            }
        }
    }

    /// The range of the host in an authority, without port and without the dot that ends a fully qualified name.
    static func host(in authority: Span<UInt8>) -> Range<Int> {
        if !authority.isEmpty, authority[0] == UInt8(ascii: "[") {
            return 0..<(SerializedOrigin.endOfAddress(authority, from: 0) ?? authority.count)
        }
        var end = 0
        while end < authority.count, authority[end] != ASCII.colon { end += 1 }
        if end > 1, authority[end - 1] == ASCII.dot { end -= 1 }
        return 0..<end
    }
}
