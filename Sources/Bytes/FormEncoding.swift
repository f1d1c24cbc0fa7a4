/// Encoding of `application/x-www-form-urlencoded`. Only the unreserved characters of RFC 3986 are not escaped, so that
/// the result is also valid in path segments and query values.
package enum FormEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    package static func encode(_ text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count)
        for byte in text {
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [ASCII.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return encoded
    }

    package static func encode(_ text: String) -> String {
        String(decoding: encode(Array(text.utf8)), as: UTF8.self)
    }

    /// Whether an encoded text stands for another one. A malformed escape stands for itself. Allocates nothing.
    package static func matches(_ encoded: Span<UInt8>, _ text: [UInt8]) -> Bool {
        var (position, count) = (0, 0)
        while position < encoded.count {
            var byte = encoded[position]
            if byte == UInt8(ascii: "+") {
                byte = ASCII.space
            } else if let decoded = ASCII.percentDecoded(encoded, at: position) {
                byte = decoded
                position += 2
            }
            guard count < text.count, text[count] == byte else { return false }
            position += 1
            count += 1
        }
        return count == text.count
    }

    /// The value of the first field of this name in an encoded query; nil if there is none.
    package static func value(_ name: String, in query: some StringProtocol) -> String? {
        let name = Array(name.utf8)
        for field in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, matches(Array(parts[0]).span, name) else { continue }
            return decode(Array(parts[1]).span)
        }
        return nil
    }

    /// The text that an encoded one stands for. A malformed escape stands for itself.
    private static func decode(_ encoded: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        var position = 0
        while position < encoded.count {
            if let decoded = ASCII.percentDecoded(encoded, at: position) {
                bytes.append(decoded)
                position += 2
            } else {
                bytes.append(encoded[position] == UInt8(ascii: "+") ? ASCII.space : encoded[position])
            }
            position += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Fields in their order.
    package static func form(_ fields: [(String, String)]) -> [UInt8] {
        var form: [UInt8] = []
        for (name, value) in fields {
            if !form.isEmpty { form.append(UInt8(ascii: "&")) }
            form += encode(Array(name.utf8)) + [UInt8(ascii: "=")] + encode(Array(value.utf8))
        }
        return form
    }

    /// `Basic` credentials of a client id and secret, which are form-encoded first (RFC 6749 section 2.3.1).
    package static func basic(clientID: String, secret: String) -> String {
        let pair = encode(Array(clientID.utf8)) + [ASCII.colon] + encode(Array(secret.utf8))
        return "Basic " + String(decoding: Base64.encode(pair.span), as: UTF8.self)
    }
}
