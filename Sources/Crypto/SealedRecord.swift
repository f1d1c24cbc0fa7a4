import Bytes

/// Texts that clients hold encrypted for the gateway, bound to a purpose and an expiry (DEC-12). All instances with the
/// same keys can open them.
package struct SealedRecord: Sendable {
    /// Why a text cannot be opened.
    package enum Failure: Error, Sendable, Equatable {
        /// It was changed, or sealed with other keys or for another purpose.
        case notOurs
        case expired
    }

    /// The sealed texts.
    package struct Opened: Sendable, Equatable {
        package let texts: [String]
        /// Seconds since 1970.
        package let expiresAt: Int64
    }

    private static let version: UInt8 = 1
    private static let headLength = 9

    private let keys: AEADKeyRing
    private let purpose: [UInt8]

    /// - Parameters:
    ///   - keys: the first encrypts, all decrypt.
    ///   - purpose: a record cannot be opened for another purpose.
    package init(keys: AEADKeyRing, purpose: String) {
        self.keys = keys
        self.purpose = Array(purpose.utf8)
    }

    /// The sealed texts in the URL-safe alphabet of Base64, without padding.
    ///
    /// - Parameters:
    ///   - texts: at most 65,535 bytes each.
    ///   - expiresAt: expiry in seconds since 1970.
    package func seal(_ texts: [String], expiresAt: Int64) -> String {
        var plaintext = [SealedRecord.version]
        SealedRecord.append(UInt64(bitPattern: expiresAt), 8, to: &plaintext)
        for text in texts {
            let bytes = Array(text.utf8)
            precondition(bytes.count <= UInt16.max)
            SealedRecord.append(UInt64(bytes.count), 2, to: &plaintext)
            plaintext += bytes
        }
        let sealed = keys.seal(plaintext.span, authenticating: purpose.span)
        return String(decoding: Base64.encode(sealed.span, .url), as: UTF8.self)
    }

    /// Opens a record.
    ///
    /// - Parameter now: seconds since 1970.
    package func open(_ text: Span<UInt8>, now: Int64) throws(Failure) -> Opened {
        guard let sealed = Base64.decode(text, .url),
            let plaintext = keys.open(sealed.span, authenticating: purpose.span),
            plaintext.count >= SealedRecord.headLength, plaintext[0] == SealedRecord.version,
            let texts = SealedRecord.texts(plaintext[SealedRecord.headLength...])
        else { throw .notOurs }
        let expiresAt = Int64(bitPattern: SealedRecord.number(plaintext[1..<SealedRecord.headLength]))
        guard now < expiresAt else { throw .expired }
        return Opened(texts: texts, expiresAt: expiresAt)
    }

    private static func texts(_ bytes: ArraySlice<UInt8>) -> [String]? {
        var texts: [String] = []
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 2 else { return nil }
            let count = Int(number(rest.prefix(2)))
            rest = rest.dropFirst(2)
            guard rest.count >= count, let text = String(validating: rest.prefix(count), as: UTF8.self) else {
                return nil
            }
            texts.append(text)
            rest = rest.dropFirst(count)
        }
        return texts
    }

    private static func append(_ value: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for i in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
