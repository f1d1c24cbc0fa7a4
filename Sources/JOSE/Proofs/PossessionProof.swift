import Bytes
import Model

/// A DPoP proof (RFC 9449 section 4.2): a JWT signed with the key in its own header. Its signature is unverified until
/// `verify`.
package struct PossessionProof: Sendable {
    /// Longest text of a proof; RSA keys of 4096 bits take a fifth of it.
    package static let maximumLength = 8192
    package static let algorithms = SignatureAlgorithm.asymmetric
    private static let type = "dpop+jwt"
    /// Members of private and symmetric keys (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private let jws: CompactJWS
    private let key: JSONWebKey
    /// SHA-256 thumbprint of its key (RFC 7638).
    package let thumbprint: [UInt8]
    /// `jti`.
    package let id: String
    /// `htm`.
    package let method: String
    /// `htu`.
    package let url: String
    /// `iat` in seconds since 1970.
    package let issuedAt: Int64
    /// `ath`, decoded; nil for none.
    package let tokenDigest: [UInt8]?
    /// `nonce`.
    package let nonce: String?

    package init(_ text: Span<UInt8>) throws(ProofRejection) {
        guard text.count <= PossessionProof.maximumLength, let jws = try? CompactJWS(text),
            !jws.algorithm.isSymmetric, let type = jws.type, type.lowercased().isExactly(PossessionProof.type),
            let key = PossessionProof.key(text), key.accepts(jws.algorithm), let thumbprint = key.thumbprintBytes,
            let claims = try? JSONNode.parse(jws.payload.span, maximumDepth: 8),
            let id = claims["jti"]?.string, !id.isEmpty, let method = claims["htm"]?.string,
            let url = claims["htu"]?.string, let issuedAt = claims["iat"]?.numericDate
        else { throw .malformed }
        self.jws = jws
        self.key = key
        self.thumbprint = thumbprint
        self.id = id
        self.method = method
        self.url = url
        self.issuedAt = issuedAt
        if let claim = claims["ath"] {
            guard let text = claim.string, let digest = Base64.decode(Array(text.utf8).span, .url) else {
                throw .malformed
            }
            tokenDigest = digest
        } else {
            tokenDigest = nil
        }
        if let claim = claims["nonce"] {
            guard let text = claim.string else { throw .malformed }
            nonce = text
        } else {
            nonce = nil
        }
    }

    /// Checks the signature with the key of the proof.
    /// - Parameter text: as passed to `init`.
    package func verify(_ text: Span<UInt8>) throws(ProofRejection) {
        do throws(TokenRejection) {
            try jws.verify(text, with: KeySet(keys: [key], hasNames: false))
        } catch {
            throw .badSignature
        }
    }

    /// The public key in the header.
    private static func key(_ text: Span<UInt8>) -> JSONWebKey? {
        let end = ByteScan.first(ASCII.dot, in: text, from: 0)
        guard let header = Base64.decode(text.extracting(0..<end), .url),
            let node = (try? JSONNode.parse(header.span, maximumDepth: 8))?["jwk"], let members = node.members,
            !members.contains(where: { privateMembers.contains($0.name) }),
            case .key(let key)? = try? JSONWebKey.read(node, .publicKeys)
        else { return nil }
        return key
    }
}
