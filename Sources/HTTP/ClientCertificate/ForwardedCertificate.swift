import Bytes
import Model

/// The certificate that a field names: bytes, of which nothing is verified yet.
package struct ForwardedCertificate: Equatable, Sendable {
    /// The client's certificate in DER form.
    package var leaf: [UInt8] = []
    /// Its issuers in DER form, as the proxy got them from the client; they are not trusted.
    package var issuers: [[UInt8]] = []
    /// SHA-256 of the certificate in hexadecimal, if the field has it.
    package var digest: [UInt8]?

    package init(leaf: [UInt8] = [], issuers: [[UInt8]] = [], digest: [UInt8]? = nil) {
        self.leaf = leaf
        self.issuers = issuers
        self.digest = digest
    }

    /// Limit of issuers of one certificate; real chains have two or three.
    package static let mostIssuers = 8

    /// Reads the value of a field; nil if it names no certificate of the client.
    ///
    /// - Parameters:
    ///   - chain: value of the field with the issuers; empty without one.
    ///   - hops: number of elements of `X-Forwarded-Client-Cert` that trusted proxies write, the first about the client.
    package static func read(
        _ format: ClientCertificateFormat, _ value: Span<UInt8>, chain: [UInt8] = [], hops: Int = 1
    ) throws(ClientCertificateFieldError) -> ForwardedCertificate? {
        switch format {
        case .xfcc: return try XFCCElements.read(value, hops: hops)
        case .pem:
            if value.isEmpty { return nil }
            let certificates = try PEMText.certificates(ofEscaped: value)
            guard certificates.count == 1 else { throw .malformed }
            return ForwardedCertificate(leaf: certificates[0])
        case .standard:
            if value.isEmpty { return nil }
            var told = ForwardedCertificate(leaf: try binary(value))
            if chain.isEmpty { return told }
            var start = 0
            for i in 0...chain.count where i == chain.count || chain[i] == ASCII.comma {
                guard told.issuers.count < mostIssuers else { throw .malformed }
                told.issuers.append(try binary(trimmed(chain.span.extracting(start..<i))))
                start = i + 1
            }
            return told
        }
    }

    /// A byte sequence of RFC 9651 section 3.3.5, without parameters.
    private static func binary(_ text: Span<UInt8>) throws(ClientCertificateFieldError) -> [UInt8] {
        guard text.count > 2, text[0] == ASCII.colon, text[text.count - 1] == ASCII.colon,
            let bytes = Base64.decode(text.extracting(1..<(text.count - 1)))
        else { throw .malformed }
        return bytes
    }

    @_lifetime(copy text)
    private static func trimmed(_ text: Span<UInt8>) -> Span<UInt8> {
        var range = 0..<text.count
        while !range.isEmpty, isBlank(text[range.lowerBound]) { range = (range.lowerBound + 1)..<range.upperBound }
        while !range.isEmpty, isBlank(text[range.upperBound - 1]) { range = range.lowerBound..<(range.upperBound - 1) }
        return text.extracting(range)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == 9 }
}

/// A field that names a certificate is not written as its form says.
package enum ClientCertificateFieldError: Error, Equatable, Sendable {
    case malformed
    /// More elements than proxies of the configuration write: one of them came from the client.
    case tooManyElements
}
