import Bytes
import HTTP

/// The path of a route: segments separated by `/`, each literal or `*` (exactly one non-empty segment), and possibly a
/// final `**` (zero or more segments) (ROLE-05).
///
/// The text after the last slash is a segment too: `/a/` is `/a` and an empty segment, and so another path than `/a`.
/// `/a/**` has both of them.
package struct PathPattern: Equatable, Sendable {
    package enum Segment: Hashable, Sendable {
        case literal([UInt8])
        case one
    }

    package let text: String
    package let segments: [Segment]
    /// Whether it ends in `**`.
    package let isDeep: Bool

    /// - Throws: why no request can have the pattern.
    package init(_ text: String) throws(PathPatternError) {
        guard text.utf8.first == ASCII.slash else { throw .noLeadingSlash }
        var parts = Array(text.utf8).dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false)
            .map(Array.init)
        isDeep = parts.last == PathPattern.deep
        if isDeep { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            if part == [UInt8(ascii: "*")] {
                segments.append(.one)
            } else {
                guard !part.contains(UInt8(ascii: "*")) else { throw .misplacedWildcard }
                segments.append(.literal(part))
            }
        }
        guard !segments.dropLast(isDeep ? 0 : 1).contains(.literal([])) else { throw .emptySegment }
        guard PathPattern.isCanonical(parts) else { throw .notCanonical }
        self.segments = segments
        self.text = text
    }

    private static let deep = Array("**".utf8)

    /// Requests are matched by their canonical path, so that a pattern in any other form would never match.
    private static func isCanonical(_ parts: [[UInt8]]) -> Bool {
        let path = [ASCII.slash] + Array(parts.joined(separator: [ASCII.slash]))
        guard case .unchanged = CanonicalPath.canonicalise(path.span, into: Chunk(capacity: path.count + 1)) else {
            return false
        }
        return true
    }
}

/// Why a text is no path pattern.
package enum PathPatternError: Error, Equatable, Sendable {
    case noLeadingSlash
    /// A `*` beside other characters, or a `**` that is not the last segment.
    case misplacedWildcard
    /// Two slashes in a row.
    case emptySegment
    /// Dot segments, escapes of unreserved characters, characters that need an escape, `?` or `#`.
    case notCanonical

    package var explanation: String {
        switch self {
        case .noLeadingSlash: "must begin with /"
        case .misplacedWildcard: "may have * only as a whole segment, and ** only as the last one"
        case .emptySegment: "must not have two slashes in a row"
        case .notCanonical: "must be in canonical form"
        }
    }
}
