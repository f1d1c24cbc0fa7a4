import Bytes

/// A SAML assertion in its bearer token encoding: gzip, then Base64 (SAML-03).
package enum PackedAssertion {
    /// Longest packed form in bytes.
    package static let maximumBytes = 65_536
    /// Maximum compression ratio of a document over 64 KiB. Assertions reach about 20.
    package static let maximumRatio = 128

    /// Unpacks an assertion. Accepts Base64 in either alphabet, with or without padding; inside gzip, raw DEFLATE, or
    /// the plain document.
    /// - Parameter limit: of the packed form.
    package static func unpack(
        _ packed: [UInt8], limit: Int = maximumBytes
    ) throws(SAMLRejection) -> [UInt8] {
        guard packed.count <= limit else { throw .tooLarge }
        guard let bytes = decode(packed), !bytes.isEmpty else { throw .malformedPackage }
        if bytes.starts(with: [0x1F, 0x8B]) { return try inflate(bytes, isGzip: true) }
        // A compressed stream may begin like a document, but is not text.
        if isDocument(bytes) { return bytes }
        return try inflate(bytes, isGzip: false)
    }

    /// Packs a document, in the standard alphabet.
    package static func pack(_ xml: [UInt8]) throws(SAMLRejection) -> [UInt8] {
        #if SAML
            return Base64.encode(Deflate.deflate(xml, .gzip).span)
        #else
            throw .unavailable
        #endif
    }

    /// Packs the assertion of a posted `SAMLResponse` (SAML-16): Base64, with or without DEFLATE, possibly URL-encoded
    /// or with the field name as prefix; or the plain document.
    ///
    /// Checks only that the assertion has its own signature, without which it is useless elsewhere. Nothing is
    /// verified.
    package static func pack(response text: [UInt8]) throws(SAMLRejection) -> [UInt8] {
        #if SAML
            let xml = isDocument(text) ? text : try unpack(field(text), limit: 2 * XMLBounds.bytes)
            return try pack(SAMLVerifier.signedAssertion(in: xml))
        #else
            throw .unavailable
        #endif
    }

    /// The field's value, URL-decoded if encoded.
    private static func field(_ text: [UInt8]) -> [UInt8] {
        var value = text.filter { $0 > ASCII.space }[...]
        let name = Array("SAMLResponse=".utf8)
        if value.starts(with: name) { value = value.dropFirst(name.count).prefix { $0 != UInt8(ascii: "&") } }
        var decoded: [UInt8] = []
        while let byte = value.popFirst() {
            guard byte == UInt8(ascii: "%"), let high = value.first.flatMap(ASCII.hexadecimalValue),
                let low = value.dropFirst().first.flatMap(ASCII.hexadecimalValue)
            else {
                decoded.append(byte)
                continue
            }
            decoded.append(high << 4 | low)
            value = value.dropFirst(2)
        }
        return decoded
    }

    /// Compresses a message for the redirect binding (bindings section 3.4.4.1): raw DEFLATE, not encoded.
    package static func deflate(_ xml: [UInt8]) throws(SAMLRejection) -> [UInt8] {
        #if SAML
            return Deflate.deflate(xml, .none)
        #else
            throw .unavailable
        #endif
    }

    private static func decode(_ packed: [UInt8]) -> [UInt8]? {
        var text = packed.filter { $0 != ASCII.space && $0 != ASCII.tab && $0 != 0x0A && $0 != 0x0D }
        var padding = 0
        while text.last == UInt8(ascii: "=") {
            text.removeLast()
            padding += 1
        }
        guard padding == 0 || (padding <= 2 && (text.count + padding) % 4 == 0) else { return nil }
        let isURL = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        if isURL { return Base64.decode(text.span, .url) }
        // The URL-safe alphabet.
        let other = text.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case ASCII.slash: UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64.decode(other.span, .url)
    }

    /// Whether the text begins with a tag, after an optional byte order mark and white space.
    private static func isDocument(_ bytes: [UInt8]) -> Bool {
        let first = bytes.withoutByteOrderMark.first {
            $0 != ASCII.space && $0 != ASCII.tab && $0 != 0x0A && $0 != 0x0D
        }
        return first == UInt8(ascii: "<") && String(validating: bytes, as: UTF8.self) != nil
    }

    private static func inflate(_ bytes: [UInt8], isGzip: Bool) throws(SAMLRejection) -> [UInt8] {
        #if SAML
            let limit = min(XMLBounds.bytes, max(maximumBytes, bytes.count * maximumRatio))
            do throws(Deflate.Failure) {
                return try Deflate.inflate(bytes, isGzip ? .gzip : .none, limit: limit)
            } catch {
                throw error == .tooLarge ? .tooLarge : .malformedPackage
            }
        #else
            throw .unavailable
        #endif
    }
}
