import Bytes

/// Certificates in PEM form and URL encoding (RFC 7468 section 5.1). Only blocks of this one label are read: libcrypto also
/// takes `TRUSTED CERTIFICATE`, which says by itself what it is trusted for.
enum PEMText {
    private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Array("-----END CERTIFICATE-----".utf8)

    /// The certificates of a text in DER form; nothing but line feeds may stand between them.
    static func certificates(ofEscaped text: Span<UInt8>) throws(ClientCertificateFieldError) -> [[UInt8]] {
        let pem = try unescaped(text)
        var certificates: [[UInt8]] = []
        var place = 0
        while place < pem.count {
            guard has(begin, pem, at: place), certificates.count <= ForwardedCertificate.mostIssuers else {
                throw .malformed
            }
            place += begin.count
            let bodyStart = place
            while place < pem.count, pem[place] != UInt8(ascii: "-") { place += 1 }
            guard has(end, pem, at: place) else { throw .malformed }
            let body = pem[bodyStart..<place].filter { !isLineEnd($0) }
            guard !body.isEmpty, let certificate = Base64.decode(body.span) else { throw .malformed }
            certificates.append(certificate)
            place += end.count
            while place < pem.count, isLineEnd(pem[place]) { place += 1 }
        }
        guard !certificates.isEmpty else { throw .malformed }
        return certificates
    }

    /// One certificate in the same form.
    static func append(_ certificate: [UInt8], to text: inout [UInt8]) {
        var pem = begin + [10]
        let body = Base64.encode(certificate.span)
        var place = 0
        while place < body.count {
            let next = min(place + 64, body.count)
            pem += body[place..<next] + [10]
            place = next
        }
        text += FormEncoding.encode(pem + end + [10])
    }

    private static func has(_ mark: [UInt8], _ text: [UInt8], at place: Int) -> Bool {
        place + mark.count <= text.count && text[place..<(place + mark.count)].elementsEqual(mark)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

    /// Decodes escapes; `+` stands for itself, since Base64 has it.
    private static func unescaped(_ text: Span<UInt8>) throws(ClientCertificateFieldError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var place = 0
        while place < text.count {
            if text[place] == ASCII.percent {
                guard let byte = ASCII.percentDecoded(text, at: place) else { throw .malformed }
                result.append(byte)
                place += 3
            } else {
                result.append(text[place])
                place += 1
            }
        }
        return result
    }
}
