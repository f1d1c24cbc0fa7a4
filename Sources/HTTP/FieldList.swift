import Bytes

/// Iterates over the elements of a comma-separated field value (RFC 9110 section 5.6.1) without allocation.
///
/// Elements have no surrounding blanks; empty ones are skipped; a comma in a quoted string does not separate.
package struct FieldList {
    private var position: Int
    private let end: Int

    /// - Parameter value: the field value, as a range of the buffer that is passed to `next`.
    package init(_ value: ByteRange) {
        position = Int(value.start)
        end = value.end
    }

    /// The next non-empty element, as a range of `bytes`.
    package mutating func next(_ bytes: Span<UInt8>) -> ByteRange? {
        while position < end {
            let start = position
            var quoted = false
            while position < end {
                let byte = bytes[position]
                if quoted, byte == ASCII.backslash {
                    position &+= 1
                } else if byte == ASCII.quote {
                    quoted.toggle()
                } else if byte == ASCII.comma, !quoted {
                    break
                }
                position &+= 1
            }
            let element = FieldSyntax.trimmed(start..<min(position, end), bytes)
            position &+= 1
            if !element.isEmpty { return element }
        }
        return nil
    }

    /// Whether the list has this element, case-insensitively.
    package static func contains(_ value: ByteRange, _ element: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        var list = FieldList(value)
        while let candidate = list.next(bytes) {
            if bytesEqualIgnoringCase(bytes.slice(candidate), element) { return true }
        }
        return false
    }
}
