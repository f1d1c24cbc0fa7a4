import Bytes

/// The path of a route: segments separated by `/`, each literal, `*` or a variable `{name}` (exactly one non-empty
/// segment), and possibly a final `**` (zero or more segments).
///
/// The text after the last slash is a segment too: `/a/` has an empty last segment and differs from `/a`. `/a/**`
/// matches both.
package struct PathPattern: Hashable, Sendable {
    package enum Segment: Hashable, Sendable {
        case literal([UInt8])
        case one
    }

    /// As it was written.
    package let text: String
    /// The text with `*` for each variable.
    package let form: String
    package let segments: [Segment]
    /// In the order of the path.
    let variables: [PathVariable]
    /// Whether it ends in `**`.
    package let isDeep: Bool

    /// Matches no path: the placeholder for an invalid pattern.
    package static let nothing = PathPattern()

    private init() { (text, form, segments, variables, isDeep) = ("", "", [], [], false) }

    package init(_ text: String) throws(Problem) {
        guard text.utf8.first == ASCII.slash else { throw .noLeadingSlash }
        let parts = Array(text.utf8.dropFirst()).split(separator: ASCII.slash, omittingEmptySubsequences: false)
        var segments: [Segment] = []
        var variables: [PathVariable] = []
        var isDeep = false
        for (i, part) in parts.enumerated() {
            let isLast = i == parts.count - 1
            if part.elementsEqual("**".utf8) {
                guard isLast else { throw .misplacedDeep }
                isDeep = true
            } else if part.elementsEqual("*".utf8) {
                segments.append(.one)
            } else if let variable = try PathVariable(part, segment: segments.count) {
                guard !variables.contains(where: { $0.name == variable.name }) else { throw .repeatedVariable }
                variables.append(variable)
                segments.append(.one)
            } else {
                guard isLast || !part.isEmpty else { throw .emptySegment }
                try PathPattern.check(part)
                segments.append(.literal(Array(part)))
            }
        }
        (self.text, self.segments, self.variables, self.isDeep) = (text, segments, variables, isDeep)
        form = variables.reduce(text) { $0.replacing("{\($1.name)}", with: "*") }
    }

    // The form determines what matches. Names of variables play no part in it.
    package static func == (left: PathPattern, right: PathPattern) -> Bool { left.form == right.form }
    package func hash(into hasher: inout Hasher) { hasher.combine(form) }

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
        case needlessEscape = "a character that may stand for itself is percent-encoded"
        case lowerCaseEscape = "percent-encodings are written in upper case"
        case missingEscape = "a character must be percent-encoded"
        case partialVariable = #""{name}" stands for a whole segment"#
        case variableName = "the name of a variable is a lower-case letter, and letters, digits and _ behind it"
        case repeatedVariable = "two variables have the same name"
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
            } else if !isUnreserved(byte), !literals.contains(byte) {
                // Outside of `pchar` (RFC 3986 section 3.3).
                throw .missingEscape
            }
        }
    }

    private static func check(escaped byte: UInt8, _ digits: ArraySlice<UInt8>) throws(Problem) {
        if byte < 32 || byte == 127 || byte == ASCII.slash || byte == ASCII.backslash { throw .refusedEscape }
        // Of two spellings of one resource, requests with the other one would take another route.
        if isUnreserved(byte) || literals.contains(byte) { throw .needlessEscape }
        // RFC 3986 section 6.2.2.1.
        if digits.contains(where: { $0 >= 97 }) { throw .lowerCaseEscape }
    }

    /// Reserved characters that a pattern has literally (RFC 3986 section 3.3); `*` is `%2A` there.
    private static let literals = "!$&'()+,;=:@".utf8

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
    }
}
