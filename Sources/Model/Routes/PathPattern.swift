import Bytes

/// The path of a route: segments separated by `/`, each literal or `*` (exactly one non-empty segment), and possibly a
/// final `**` (zero or more segments).
///
/// The text after the last slash is a segment too: `/a/` has an empty last segment and differs from `/a`. `/a/**`
/// matches both.
package struct PathPattern: Hashable, Sendable {
    package enum Segment: Hashable, Sendable {
        case literal([UInt8])
        case one
    }

    package let text: String
    package let segments: [Segment]
    /// Whether it ends in `**`.
    package let isDeep: Bool

    /// Matches no path: the placeholder for an invalid pattern.
    package static let nothing = PathPattern()

    private init() { (text, segments, isDeep) = ("", [], false) }

    package init(_ text: String) throws(Problem) {
        guard text.utf8.first == ASCII.slash else { throw .noLeadingSlash }
        let parts = Array(text.utf8.dropFirst()).split(separator: ASCII.slash, omittingEmptySubsequences: false)
        var segments: [Segment] = []
        var isDeep = false
        for (i, part) in parts.enumerated() {
            let isLast = i == parts.count - 1
            if part.elementsEqual("**".utf8) {
                guard isLast else { throw .misplacedDeep }
                isDeep = true
            } else if part.elementsEqual("*".utf8) {
                segments.append(.one)
            } else {
                guard isLast || !part.isEmpty else { throw .emptySegment }
                try PathPattern.check(part)
                segments.append(.literal(Array(part)))
            }
        }
        (self.text, self.segments, self.isDeep) = (text, segments, isDeep)
    }

    // The text determines the rest.
    package static func == (left: PathPattern, right: PathPattern) -> Bool { left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Whether every path that matches the other pattern matches this one.
    package func covers(_ other: PathPattern) -> Bool {
        let (count, others) = (segments.count, other.segments.count)
        return (isDeep ? others >= count : others == count && !other.isDeep)
            && zip(segments, other.segments).allSatisfy { $0 == .one || $0 == $1 }
    }

    /// Whether some path matches both patterns.
    package func overlaps(_ other: PathPattern) -> Bool {
        let (count, others) = (segments.count, other.segments.count)
        return (count == others || (count > others ? other : self).isDeep)
            && zip(segments, other.segments).allSatisfy { $0 == .one || $1 == .one || $0 == $1 }
    }
}

extension PathPattern {
    /// Why a text is not a path pattern. Requests are matched by canonical path, so that a pattern in another form
    /// would never match.
    package enum Problem: String, Error {
        case noLeadingSlash = #"it does not begin with "/""#
        case misplacedDeep = #""**" is allowed at the end only"#
        case partialWildcard = #""*" stands for a whole segment"#
        case emptySegment = #"it has an empty segment ("//")"#
        case dotSegment = "it has a dot segment"
        case malformedEscape = #""%" needs two hexadecimal digits"#
        case refusedEscape = "an encoded slash, backslash or control character is refused in every request"
        case needlessEscape = "an unreserved character is percent-encoded"
        case lowerCaseEscape = "percent-encodings are written in upper case"
        case missingEscape = "a character must be percent-encoded"
    }

    private static func check(_ segment: ArraySlice<UInt8>) throws(Problem) {
        if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) { throw .dotSegment }
        var rest = segment
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "*") { throw .partialWildcard }
            if byte == ASCII.percent {
                let digits = rest.prefix(2)
                rest = rest.dropFirst(2)
                let values = digits.compactMap(ASCII.hexadecimalValue)
                guard values.count == 2 else { throw .malformedEscape }
                try check(escaped: values[0] << 4 | values[1], digits)
            } else if !isUnreserved(byte), !"!$&'()+,;=:@".utf8.contains(byte) {
                // Outside of `pchar` (RFC 3986 section 3.3).
                throw .missingEscape
            }
        }
    }

    private static func check(escaped byte: UInt8, _ digits: ArraySlice<UInt8>) throws(Problem) {
        if byte < 32 || byte == 127 || byte == ASCII.slash || byte == ASCII.backslash { throw .refusedEscape }
        if isUnreserved(byte) { throw .needlessEscape }
        // RFC 3986 section 6.2.2.1.
        if digits.contains(where: { $0 >= 97 }) { throw .lowerCaseEscape }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
    }
}
