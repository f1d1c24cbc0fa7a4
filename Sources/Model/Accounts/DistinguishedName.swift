import Bytes

/// The subject of a certificate as parsed values (JWT-20), so that no value can imitate further attributes.
///
/// Blanks around separators and the case of attribute types are ignored. Values are compared byte by byte after
/// unescaping. The order of the parts is significant, as in a certificate.
package struct DistinguishedName: Sendable, Hashable {
    package struct Attribute: Hashable, Comparable, Sendable {
        /// In lower case.
        let type: [UInt8]
        let value: [UInt8]

        /// - Parameter type: a short name, or an object identifier in dotted form.
        package init(type: [UInt8], value: [UInt8]) {
            let type = type.map(ASCII.lowercased)
            // Two spellings of the same type are in use (RFC 2985 section 5.2.1).
            self.type = type == [UInt8(ascii: "e")] ? Array("emailaddress".utf8) : type
            self.value = value
        }

        package static func < (left: Attribute, right: Attribute) -> Bool {
            left.type == right.type
                ? left.value.lexicographicallyPrecedes(right.value) : left.type.lexicographicallyPrecedes(right.type)
        }
    }

    /// Each part is a sorted set of attributes; most have one. The most specific comes first.
    private var parts: [[Attribute]] = []

    package init(parts: [[Attribute]]) { self.parts = parts.map { $0.sorted() } }

    /// The values of all common names.
    package var commonNames: [[UInt8]] {
        parts.joined().filter { $0.type.elementsEqual("cn".utf8) }.map(\.value)
    }

    /// Nil for an invalid or empty name.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        var part: [Attribute] = []
        repeat {
            guard let attribute = DistinguishedName.readAttribute(&rest) else { return nil }
            part.append(attribute)
            let separator = rest.popFirst()
            if separator == UInt8(ascii: "+") { continue }
            parts.append(part.sorted())
            part = []
            if separator == nil { return }
        } while true
    }

    /// `type = value`, up to the following separator.
    private static func readAttribute(_ rest: inout ArraySlice<UInt8>) -> Attribute? {
        guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let type = trimmed(rest[..<equals])
        guard !type.isEmpty, type.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
        rest = rest[(equals + 1)...]
        guard let value = readValue(&rest) else { return nil }
        return Attribute(type: Array(type), value: value)
    }

    /// An unescaped value (RFC 4514 section 2.4); unescaped blanks at both ends are dropped.
    private static func readValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var value: [UInt8] = []
        var kept = 0
        rest = rest.drop { $0 == ASCII.space }
        while let byte = rest.first, byte != ASCII.comma, byte != UInt8(ascii: "+") {
            rest.removeFirst()
            guard byte == ASCII.backslash else {
                guard byte != ASCII.quote, byte != 0 else { return nil }
                value.append(byte)
                if byte != ASCII.space { kept = value.count }
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            if let high = ASCII.hexadecimalValue(escaped) {
                guard let low = rest.popFirst().flatMap(ASCII.hexadecimalValue) else { return nil }
                value.append(high << 4 | low)
            } else {
                guard escaped < 0x80, !ASCII.isLetter(escaped) else { return nil }
                value.append(escaped)
            }
            kept = value.count
        }
        value.removeSubrange(kept...)
        return value.isEmpty ? nil : value
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = text.drop { $0 == ASCII.space }
        return start.prefix((start.lastIndex { $0 != ASCII.space } ?? start.startIndex - 1) - start.startIndex + 1)
    }
}
