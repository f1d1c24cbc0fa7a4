import Bytes
import Model

/// The syntax of path segments (RFC 3986 section 3.3).
enum PathSyntax {
    // One bit per ASCII character of `pchar` without `%`, and `/`: unreserved, !$&'()*+,=:@ and the slash.
    // The semicolon is left out: it needs a second look.
    private static let plainLow: UInt64 = 0x27ff_ffd2_0000_0000
    private static let plainHigh: UInt64 = 0x47ff_fffe_87ff_ffff

    /// A literal character of a canonical path.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return ((byte & 64 == 0 ? plainLow : plainHigh) >> UInt64(byte & 63)) & 1 != 0
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 45 || byte == ASCII.dot || byte == 95 || byte == 126
    }

    /// Appends the canonical form of a segment; the chunk needs room for three times its length.
    ///
    /// - Parameter kept: escapes that are allowed, and appended as they came.
    static func append(
        _ segment: Span<UInt8>, keeping kept: PathSpellings, to output: Chunk
    ) throws(PathAmbiguity) {
        let start = output.count
        var text = UTF8Check()
        var position = 0
        while position < segment.count {
            let byte = segment[position]
            if byte == ASCII.percent {
                let value = try escape(segment, at: position, keeping: kept)
                guard text.accepts(value) else { throw .malformedText }
                if isUnreserved(value) {
                    output.append(value)
                } else if value == ASCII.slash || value == ASCII.backslash {
                    output.append(segment.extracting(position..<(position &+ 3)))
                } else {
                    appendEscape(of: value, to: output)
                }
                position &+= 3
                continue
            }
            // Unescaped non-ASCII bytes are illegal too.
            guard text.isComplete else { throw .malformedText }
            if isPlain(byte) || byte == 59 {
                output.append(byte)
            } else if byte == ASCII.backslash {
                throw .backslash
            } else if byte > 32, byte < 127, byte != 35, byte != 63 {
                // Characters such as `|` are not allowed in a path, but browsers send them.
                appendEscape(of: byte, to: output)
            } else {
                throw .illegalByte
            }
            position &+= 1
        }
        guard text.isComplete else { throw .malformedText }
        try checkDots(output.readable.extracting(start..<output.count))
    }

    /// The byte of an escape, if it is allowed in a segment.
    private static func escape(
        _ segment: Span<UInt8>, at position: Int, keeping kept: PathSpellings
    ) throws(PathAmbiguity) -> UInt8 {
        guard position &+ 2 < segment.count,
            let high = ASCII.hexadecimalValue(segment[position &+ 1]),
            let low = ASCII.hexadecimalValue(segment[position &+ 2])
        else { throw .malformedEscape }
        let value = high << 4 | low
        switch value {
        case ASCII.slash where !kept.contains(.encodedSlash): throw .encodedSlash
        case ASCII.backslash where !kept.contains(.encodedBackslash): throw .encodedBackslash
        case 0..<32, 127: throw .encodedControl
        default: return value
        }
    }

    private static func appendEscape(of byte: UInt8, to output: Chunk) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 &+ value : 55 &+ value }
        output.append(ASCII.percent)
        output.append(digit(byte >> 4))
        output.append(digit(byte & 15))
    }

    /// Refuses a canonical segment that was written with `%2E` and is a dot segment, and `..;x`, `.;x` and `;x`, which
    /// servlet containers read as a dot segment or an empty one after removing the parameter. Other parameters are unchanged.
    private static func checkDots(_ segment: Span<UInt8>) throws(PathAmbiguity) {
        var position = 0
        while position < segment.count, position < 2, segment[position] == ASCII.dot { position &+= 1 }
        guard position < segment.count else { throw .encodedDot }
        if segment[position] == 59 || ASCII.percentDecoded(segment, at: position) == 59 { throw .dotSegmentParameter }
    }
}
