/// Encodes texts as values of header fields.
package enum FieldValue {
    /// Encodes text for a header field that the gateway vouches for (GW-09).
    ///
    /// Controls, and blanks at either end, would end the line or be trimmed by the recipient. They are percent-encoded,
    /// and so is `%`, which keeps the encoding unique: the name `joe ` stays distinct from `joe`.
    package static func encode(_ text: String, isElement: Bool = false) -> [UInt8] {
        encode(Array(text.utf8), isElement: isElement)
    }

    static func encode(_ bytes: [UInt8], isElement: Bool = false) -> [UInt8] {
        func isEncoded(_ place: Int) -> Bool {
            switch bytes[place] {
            case 0x20: place == 0 || place == bytes.count - 1
            case 0..<0x20, 0x7F, 0x25: true
            case 0x2C: isElement
            default: false
            }
        }
        // Most names need no encoding.
        guard bytes.indices.contains(where: isEncoded) else { return bytes }
        let digits = Array("0123456789ABCDEF".utf8)
        var value: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if isEncoded(place) {
                value += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                value.append(byte)
            }
        }
        return value
    }
}
