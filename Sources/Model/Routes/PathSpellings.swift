/// Spellings of paths that upstreams may read in several ways. By default escapes are refused, and slashes merged; a route
/// that keeps a spelling matches it as part of its segment and forwards it as received.
package struct PathSpellings: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `%2F`.
    package static let encodedSlash = PathSpellings(rawValue: 1)
    /// `%5C`.
    package static let encodedBackslash = PathSpellings(rawValue: 2)
    /// `%25` before two digits that are the escape of a separator, a dot or a percent sign for an upstream that decodes
    /// twice.
    package static let encodedPercent = PathSpellings(rawValue: 4)
    /// `//`.
    package static let emptySegments = PathSpellings(rawValue: 8)

    package static let escapes: PathSpellings = [.encodedSlash, .encodedBackslash, .encodedPercent]
    package static let all: PathSpellings = [.escapes, .emptySegments]
}
