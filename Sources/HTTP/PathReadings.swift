import Bytes
import Model

/// Other resources that an upstream may take a canonical path for.
///
/// RFC 3986 section 2.2 lets `:` and `%3A` name different resources, but most frameworks decode a path before they look
/// for the resource, some decode it twice, and servlet containers drop parameters (`;x=1`). Where the rules of two readings
/// differ, a client could choose between them by the spelling (ROLE-05, istio #27409).
package enum PathReadings {
    /// What an upstream may do to a path before it looks for the resource. Several upstreams and frameworks in a row do
    /// several of them, in any order.
    private enum Step: CaseIterable {
        /// Escapes of reserved characters are decoded.
        case decode
        /// Escapes are decoded, and what they yield is decoded again.
        case decodeTwice
        /// `%2F` separates segments.
        case slashes
        /// So does `%5C`.
        case backslashes
        /// `;x=1` is dropped.
        case dropParameters
        /// `//` is one slash.
        case mergeSlashes
        /// What follows `//` at the beginning is a host.
        case dropHost
    }

    /// The most readings that are looked at: a path with more is refused.
    private static let most = 64

    /// Whether the path has a character with a second spelling, or a parameter. Allocates nothing.
    ///
    /// - Parameter path: canonical (`CanonicalPath`). Of kept spellings, only double encoding is noticed.
    package static func hasSeveral(_ path: Span<UInt8>) -> Bool {
        for i in path.indices {
            switch path[i] {
            case semicolon, star: return true
            case ASCII.percent:
                guard let value = ASCII.percentDecoded(path, at: i) else { continue }
                // After an escaped percent sign, two digits are an escape for an upstream that decodes twice.
                if isReserved(value) || value == ASCII.percent && digits(in: path, behind: i + 2) != nil { return true }
            default: break
            }
        }
        return false
    }

    /// The other readings, as canonical paths: all that steps of upstreams lead to. Nil if one of them is ambiguous in
    /// itself, such as `..` with a parameter or behind `%2F`.
    ///
    /// - Parameter path: canonical.
    package static func others(of path: Span<UInt8>) -> Set<[UInt8]>? {
        let path = [UInt8](copying: path)
        var readings: Set = [path]
        var pending = [path]
        while let known = pending.popLast() {
            for step in Step.allCases {
                let reading = taking(step, known)
                guard reading != known, readings.insert(reading).inserted else { continue }
                let scratch = Chunk(capacity: 3 * reading.count + 1)
                guard case .unchanged = CanonicalPath.canonicalise(reading.span, keeping: .all, into: scratch),
                    readings.count <= most
                else { return nil }
                pending.append(reading)
            }
        }
        readings.remove(path)
        return readings
    }

    private static func taking(_ step: Step, _ path: [UInt8]) -> [UInt8] {
        switch step {
        case .decode: decode(path, isRepeated: false)
        case .decodeTwice: decodeTwice(path)
        case .slashes: separating(path, ASCII.slash)
        case .backslashes: separating(path, ASCII.backslash)
        case .dropParameters: withoutParameters(path)
        case .mergeSlashes: merged(path)
        case .dropHost: withoutHost(path)
        }
    }

    /// A segment that would be no text in UTF-8 keeps the escapes that make it so.
    private static func decodeTwice(_ path: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        for segment in path.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false) {
            let whole = decode(Array(segment), isRepeated: true)
            decoded.append(ASCII.slash)
            decoded += isText(whole) ? whole : decode(Array(segment), isRepeated: true, inASCII: true)
        }
        return decoded
    }

    /// With reserved characters as patterns of routes have them: literal, but `*` as `%2A`.
    private static func decode(_ path: [UInt8], isRepeated: Bool, inASCII: Bool = false) -> [UInt8] {
        var decoded: [UInt8] = []
        var position = 0
        while position < path.count {
            let start = position
            var value = ASCII.percentDecoded(path.span, at: position)
            position += value == nil ? 1 : 3
            if isRepeated, value == ASCII.percent, let next = digits(in: path.span, behind: position - 1),
                !inASCII || next < 128
            {
                value = next
                position += 2
            }
            switch value {
            case nil where path[start] == star, star: decoded += "%2A".utf8
            case nil: decoded.append(path[start])
            case .some(let byte) where isReserved(byte) || PathSyntax.isUnreserved(byte): decoded.append(byte)
            case .some where position - start == 3: decoded += path[start..<position]
            case .some(let byte): append(escapeOf: byte, to: &decoded)
            }
        }
        return decoded
    }

    private static func isText(_ segment: [UInt8]) -> Bool {
        var text = UTF8Check()
        var position = 0
        while position < segment.count {
            let value = ASCII.percentDecoded(segment.span, at: position)
            guard text.accepts(value ?? segment[position]) else { return false }
            position += value == nil ? 1 : 3
        }
        return text.isComplete
    }

    /// - Parameter separator: the character whose escapes become slashes.
    private static func separating(_ path: [UInt8], _ separator: UInt8) -> [UInt8] {
        var separated: [UInt8] = []
        var position = 0
        while position < path.count {
            let isSeparator = ASCII.percentDecoded(path.span, at: position) == separator
            separated.append(isSeparator ? ASCII.slash : path[position])
            position += isSeparator ? 3 : 1
        }
        return separated
    }

    private static func withoutParameters(_ path: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var isParameter = false
        for byte in path {
            isParameter = byte == semicolon || isParameter && byte != ASCII.slash
            if !isParameter { plain.append(byte) }
        }
        return plain
    }

    private static func merged(_ path: [UInt8]) -> [UInt8] {
        var merged: [UInt8] = []
        for byte in path where byte != ASCII.slash || merged.last != ASCII.slash { merged.append(byte) }
        return merged
    }

    private static func withoutHost(_ path: [UInt8]) -> [UInt8] {
        guard path.starts(with: [ASCII.slash, ASCII.slash]) else { return path }
        let rest = path.drop { $0 == ASCII.slash }.drop { $0 != ASCII.slash }
        return rest.isEmpty ? [ASCII.slash] : Array(rest)
    }

    /// The value of the two hexadecimal digits behind a place.
    private static func digits(in path: Span<UInt8>, behind position: Int) -> UInt8? {
        guard position + 2 < path.count, let high = ASCII.hexadecimalValue(path[position + 1]),
            let low = ASCII.hexadecimalValue(path[position + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func append(escapeOf byte: UInt8, to path: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        path += [ASCII.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// A character that may stand in a segment both literally and escaped (`sub-delims`, `:` and `@`).
    private static func isReserved(_ byte: UInt8) -> Bool {
        byte != star
            && (byte == semicolon || PathSyntax.isPlain(byte) && byte != ASCII.slash && !PathSyntax.isUnreserved(byte))
    }

    private static let semicolon = UInt8(ascii: ";")
    private static let star = UInt8(ascii: "*")
}
