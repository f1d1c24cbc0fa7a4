import Bytes

/// The fields of an `application/x-www-form-urlencoded` body or of a query (WHATWG URL section 5), read strictly.
///
/// Not for the hot path: names and values become strings.
package struct FormFields: Sendable {
    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: String
    }

    /// Default limit of a form in bytes.
    package static let maximumBytes = 65_536
    package static let maximumFields = 128

    /// The fields in the order received.
    package private(set) var fields: [Field] = []

    /// Parses a form. Empty pieces between `&` are skipped; the value of a piece without `=` is empty.
    /// - Parameter limit: longest form, in bytes.
    package static func parse(_ body: Span<UInt8>, limit: Int = maximumBytes) throws(FormError) -> FormFields {
        guard body.count <= limit else { throw .tooLarge }
        var form = FormFields()
        var position = 0
        while position < body.count {
            var end = position
            while end < body.count, body[end] != 38 { end &+= 1 }
            var equals = position
            while equals < end, body[equals] != 61 { equals &+= 1 }
            if end > position {
                guard form.fields.count < maximumFields else { throw .tooManyFields }
                let name = try decode(body.extracting(position..<equals))
                let value = equals < end ? try decode(body.extracting((equals &+ 1)..<end)) : ""
                form.fields.append(Field(name: name, value: value))
            }
            position = end &+ 1
        }
        return form
    }

    /// The value of the first field of this name.
    package func first(_ name: String) -> String? { fields.first { $0.name.isExactly(name) }?.value }

    /// The values of this name that are not empty: empty ones count as absent (RFC 6749 section 3.1).
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.isExactly(name) && !$0.value.isEmpty }.map(\.value)
    }

    /// The fields with one more, unless there is one of its name.
    package func supplying(_ name: String, _ value: String) -> FormFields {
        var form = self
        if first(name) == nil { form.fields.append(Field(name: name, value: value)) }
        return form
    }

    /// Whether several fields have this name, which OAuth forbids (RFC 6749 section 3.2).
    package func isRepeated(_ name: String) -> Bool { fields.count { $0.name.isExactly(name) } > 1 }

    /// A name that more than one field has, if any.
    package var repeatedName: String? { repeatedName(besides: nil) }

    /// - Parameter name: one that several fields may have.
    package func repeatedName(besides name: String?) -> String? {
        var seen: Set<ExactText> = []
        return fields.first { field in
            !seen.insert(ExactText(field.name)).inserted && name?.isExactly(field.name) != true
        }?.name
    }

    private static func decode(_ text: Span<UInt8>) throws(FormError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            var byte = text[position]
            if byte == 43 {
                byte = ASCII.space
            } else if byte == ASCII.percent {
                guard position &+ 2 < text.count,
                    let high = ASCII.hexadecimalValue(text[position &+ 1]),
                    let low = ASCII.hexadecimalValue(text[position &+ 2])
                else { throw .malformedEscape }
                byte = high << 4 | low
                position &+= 2
            }
            guard byte != 0 else { throw .nulByte }
            bytes.append(byte)
            position &+= 1
        }
        guard let text = String(streamSafe: bytes) else { throw .malformedText }
        return text
    }
}

/// Why a form was refused: status 413 if it is too large, otherwise 400.
package enum FormError: Error, Sendable, CaseIterable {
    case tooLarge, tooManyFields, malformedEscape, nulByte
    /// Not UTF-8 after decoding, or not stream-safe.
    case malformedText
}
