import Bytes

/// Other resources that an upstream may take a canonical path for.
///
/// RFC 3986 section 2.2 lets `:` and `%3A` name different resources, but most frameworks decode a path before they look
/// for the resource, some decode it twice, and servlet containers drop parameters (`;x=1`). Where the rules of two readings
/// differ, a client could choose between them by the spelling (ROLE-05, istio #27409).
package enum PathReadings {
    /// What an upstream may do to a path before it looks for the resource.
    private enum Decoding: CaseIterable {
        case none, once, repeated
    }

    /// Whether the path has a character with a second spelling, or a parameter. Allocates nothing.
    ///
    /// - Parameter path: canonical (`CanonicalPath`).
    package static func hasSeveral(_ path: Span<UInt8>) -> Bool {
        for i in path.indices {
            switch path[i] {
            case semicolon, star: return true
            case ASCII.percent:
                guard let value = escape(in: path, at: i) else { continue }
                // After an escaped percent sign, two digits are an escape for an upstream that decodes twice.
                if isReserved(value) || value == ASCII.percent && escape(in: path, at: i + 2) != nil { return true }
            default: break
            }
        }
        return false
    }

    /// The other readings, as canonical paths; nil if one of them is ambiguous in itself, such as `..` with a parameter.
    ///
    /// - Parameter path: canonical.
    package static func others(of path: Span<UInt8>) -> Set<[UInt8]>? {
        let path = [UInt8](copying: path)
        var readings: Set<[UInt8]> = []
        for decoding in Decoding.allCases {
            let decoded = decode(path, decoding)
            for reading in [decoded, withoutParameters(decoded)] {
                switch CanonicalPath.canonicalise(reading.span, into: Chunk(capacity: 3 * reading.count + 1)) {
                case .unchanged: readings.insert(reading)
                // No text in UTF-8, which no upstream decodes it to.
                case .ambiguous(.malformedText): break
                case .ambiguous, .rewritten: return nil
                }
            }
        }
        readings.remove(path)
        return readings
    }

    /// A path with reserved characters as patterns of routes have them: literal, but `*` as `%2A`.
    private static func decode(_ path: [UInt8], _ decoding: Decoding) -> [UInt8] {
        var decoded: [UInt8] = []
        var position = 0
        while position < path.count {
            let start = position
            var value = escape(in: path.span, at: position)
            position += value == nil ? 1 : 3
            while decoding == .repeated, value == ASCII.percent, let next = escape(in: path.span, at: position - 1) {
                value = next
                position += 2
            }
            switch value {
            case nil where path[start] == star, star: decoded += "%2A".utf8
            case nil: decoded.append(path[start])
            case .some(let byte) where isReserved(byte) && decoding != .none || PathSyntax.isUnreserved(byte):
                decoded.append(byte)
            case .some(let byte):
                if position - start == 3 {
                    decoded += path[start..<position]
                } else {
                    append(escapeOf: byte, to: &decoded)
                }
            }
        }
        return decoded
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

    /// The value of the two digits behind a percent sign, or behind the last digit of an escaped one.
    private static func escape(in path: Span<UInt8>, at position: Int) -> UInt8? {
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
