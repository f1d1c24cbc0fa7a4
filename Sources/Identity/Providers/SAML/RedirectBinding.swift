import Bytes
import Crypto
import Model

/// The HTTP redirect binding (SAML bindings section 3.4).
enum RedirectBinding {
    /// Longest `RelayState` (section 3.4.3).
    static let longestState = 80

    /// The redirect URL of a request.
    ///
    /// - Parameters:
    ///   - destination: of the provider; it may already have a query.
    ///   - state: returned with the answer, `longestState` bytes at most.
    ///   - signer: nil leaves the request unsigned.
    static func location(
        _ request: [UInt8], at destination: WebURL, state: String, signer: SigningKey?
    ) -> String {
        let packed = String(decoding: Base64.encode(stored(request).span), as: UTF8.self)
        var fields = [("SAMLRequest", packed), ("RelayState", state)]
        if let signer, let name = algorithmName(signer.algorithm) {
            fields.append(("SigAlg", name))
            // Section 3.4.4.1: the signature covers the query as sent, in this order.
            let signature = signer.sign(FormEncoding.form(fields).span)
            fields.append(("Signature", String(decoding: Base64.encode(signature.span), as: UTF8.self)))
        }
        return destination.with(fields)
    }

    /// `SigAlg` (RFC 9231 section 2.3); nil for algorithms without an identifier. ECDSA signatures are r and s
    /// concatenated, as in JOSE (XML Signature section 6.4.3).
    static func algorithmName(_ algorithm: SignatureAlgorithm) -> String? {
        switch algorithm {
        case .rs256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
        case .rs384: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384"
        case .rs512: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"
        case .es256: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"
        case .es384: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384"
        case .es512: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512"
        default: nil
        }
    }

    /// DEFLATE in stored blocks (RFC 1951 section 3.2.4), without compression: requests are short, and every provider
    /// can inflate them.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(Int(UInt16.max))
            rest = rest.dropFirst(block.count)
            packed.append(rest.isEmpty ? 1 : 0)
            let length = UInt16(block.count)
            for number in [length, ~length] {
                packed += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            }
            packed += block
        } while !rest.isEmpty
        return packed
    }
}
