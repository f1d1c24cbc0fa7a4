import Bytes
import Crypto
import Model

/// The authorities that certify the keys of an issuer. Its tokens carry the certificate chain of their key (`x5c`, RFC 7515
/// section 4.1.6), and nothing that they name by URL is fetched.
package struct SignerAuthorities: Sendable {
    /// Limit of certificates in a chain.
    package static let maximumCount = 5

    private let verifier: SignerChainVerifier
    private let acceptedNames: [CertificatePattern]

    /// - Parameter names: of which the certificate of the signer must have one; empty for any certificate of the authorities.
    package init(_ verifier: SignerChainVerifier, names: [CertificatePattern]) {
        self.verifier = verifier
        acceptedNames = names
    }

    /// The signer that the header of a token names.
    func signer(of token: Span<UInt8>, now: Int64) throws(TokenRejection) -> CertifiedSigner {
        let end = ByteScan.first(ASCII.dot, in: token, from: 0)
        guard let json = Base64.decode(token.extracting(0..<end), .url),
            let header = try? JSONNode.parse(json.span), let elements = header["x5c"]?.array,
            (1...SignerAuthorities.maximumCount).contains(elements.count)
        else { throw .untrustedChain }
        let chain = elements.compactMap { SignerAuthorities.decodedMember($0, .standard) }
        guard chain.count == elements.count, let signer = verifier.signer(of: chain, now: now) else {
            throw .untrustedChain
        }
        if let thumbprint = header["x5t#S256"] {
            guard SignerAuthorities.decodedMember(thumbprint, .url) == signer.certificate.digest else {
                throw .untrustedChain
            }
        }
        let isNamed =
            acceptedNames.isEmpty
            || signer.certificate.isReadable && acceptedNames.contains { $0.fits(signer.certificate) }
        guard isNamed else { throw .chainNameMismatch }
        return signer
    }

    private static func decodedMember(_ node: JSONNode, _ alphabet: Base64.Alphabet) -> [UInt8]? {
        guard let text = node.string.map({ Array($0.utf8) }) else { return nil }
        return Base64.decode(text.span, alphabet)
    }
}
