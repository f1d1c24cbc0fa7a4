import Bytes

/// The patterns of routes: literal segments, `*` for exactly one segment, a final `**` for zero or more (ROLE-05).
enum PathPattern {
    /// What is wrong with a pattern, or nil. Literal segments must be in the canonical form that requests are brought
    /// into before matching, or they could never match.
    static func problem(_ pattern: String) -> String? {
        guard pattern.hasPrefix("/") else { return "it does not begin with \"/\"" }
        let segments = self.segments(pattern)
        for (i, segment) in segments.enumerated() {
            let isLast = i == segments.count - 1
            if segment == "**" {
                if !isLast { return "\"**\" is allowed at the end only" }
            } else if segment == "*" {
                continue
            } else if segment.isEmpty {
                if !isLast { return "it has an empty segment (\"//\")" }
            } else if let problem = problem(inSegment: segment) {
                return problem
            }
        }
        return nil
    }

    /// The segments after the first slash; the last one is empty where the pattern ends in a slash.
    static func segments(_ pattern: String) -> [Substring] {
        pattern.utf8.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Whether every path that matches `inner` matches `outer`; both are given by their segments.
    static func covers(_ outer: [Substring], _ inner: [Substring]) -> Bool { covers(outer[...], inner[...]) }

    /// Whether some path matches both patterns, given by their segments.
    static func overlap(_ left: [Substring], _ right: [Substring]) -> Bool { overlap(left[...], right[...]) }

    private static func covers(_ outer: ArraySlice<Substring>, _ inner: ArraySlice<Substring>) -> Bool {
        if outer.first == "**" { return true }
        guard let first = outer.first else { return inner.isEmpty }
        guard let other = inner.first, other != "**", first == "*" || first == other else { return false }
        return covers(outer.dropFirst(), inner.dropFirst())
    }

    private static func overlap(_ left: ArraySlice<Substring>, _ right: ArraySlice<Substring>) -> Bool {
        if left.first == "**" || right.first == "**" { return true }
        guard let first = left.first, let other = right.first else { return left.isEmpty && right.isEmpty }
        guard first == "*" || other == "*" || first == other else { return false }
        return overlap(left.dropFirst(), right.dropFirst())
    }

    private static func problem(inSegment segment: Substring) -> String? {
        if segment == "." || segment == ".." { return "it has a dot segment" }
        let bytes = Array(segment.utf8)
        var i = 0
        while i < bytes.count {
            let byte = bytes[i]
            if byte == UInt8(ascii: "*") { return "\"*\" stands for a whole segment" }
            if byte == ASCII.percent {
                guard i + 2 < bytes.count, let high = ASCII.hexadecimalValue(bytes[i + 1]),
                    let low = ASCII.hexadecimalValue(bytes[i + 2])
                else { return "\"%\" needs two hexadecimal digits" }
                if let problem = problem(encoded: high << 4 | low, digits: bytes[i + 1...i + 2]) { return problem }
                i += 3
                continue
            }
            // pchar of RFC 3986 section 3.3; the rest never stands unencoded in a path.
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~!$&'()+,;=:@".utf8.contains(byte) else {
                return "a character must be percent-encoded"
            }
            i += 1
        }
        return nil
    }

    private static func problem(encoded byte: UInt8, digits: ArraySlice<UInt8>) -> String? {
        if byte < 32 || byte == 127 || byte == ASCII.slash || byte == ASCII.backslash {
            return "an encoded slash, backslash or control character is refused in every request"
        }
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
            return "an unreserved character is percent-encoded"
        }
        // Digits are in upper case after normalisation (RFC 3986 section 6.2.2.1).
        return digits.contains { $0 >= 97 } ? "percent-encodings are written in upper case" : nil
    }
}
