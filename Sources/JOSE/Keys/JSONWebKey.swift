import Bytes
import Crypto
import Model

/// One key of a key set (RFC 7517 section 4), with its permitted use.
package struct JSONWebKey: Sendable {
    /// The `kid` of the key.
    package var kid: String?
    /// The algorithm of the key; nil for all that match its type.
    package var algorithm: SignatureAlgorithm?
    package var key: VerificationKey

    package init(kid: String?, algorithm: SignatureAlgorithm?, key: VerificationKey) {
        self.kid = kid
        self.algorithm = algorithm
        self.key = key
    }

    /// The verification key of a signing key, with its published name.
    package init(_ key: SigningKey, kid: String?) {
        self.init(kid: kid, algorithm: key.algorithm, key: key.verificationKey)
    }

    /// Whether the key may verify tokens of this algorithm (RFC 8725 section 3.1).
    package func accepts(_ algorithm: SignatureAlgorithm) -> Bool {
        key.supports(algorithm) && (self.algorithm ?? algorithm) == algorithm
    }

    /// The SHA-256 thumbprint (RFC 7638) in base64url. Nil for a secret, whose thumbprint would allow for guessing.
    package var thumbprint: String? { thumbprintBytes.map(JSONWebKey.base64URL) }

    /// `thumbprint`, not encoded.
    package var thumbprintBytes: [UInt8]? { requiredMembers.map { DigestAlgorithm.sha256.digest($0.span) } }

    /// The public key as a JSON object of its required members alone, in the order of their names (RFC 7638 section 3). Nil
    /// for a secret.
    package var requiredMembers: [UInt8]? {
        guard let publicKey = key.publicKey else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in JSONWebKey.members(of: publicKey) { writer.member(name, value) }
        writer.endObject()
        return writer.bytes
    }

    /// Writes the public key as a JSON object; nothing for a secret.
    func writePublic(to writer: inout JSONWriter) {
        guard let publicKey = key.publicKey else { return }
        writer.beginObject()
        for (name, value) in JSONWebKey.members(of: publicKey) { writer.member(name, value) }
        writer.member("use", "sig")
        if let algorithm { writer.member("alg", algorithm.rawValue) }
        if let kid { writer.member("kid", kid) }
        writer.endObject()
    }

    /// The required members in the order of their names (RFC 7638 section 3.2, RFC 8037 section 2).
    private static func members(of key: PublicKey) -> [(name: String, value: String)] {
        switch key {
        case .rsa(let modulus, let exponent):
            [("e", base64URL(exponent)), ("kty", "RSA"), ("n", base64URL(modulus))]
        case .elliptic(let curve, let x, let y):
            [("crv", curve.rawValue), ("kty", "EC"), ("x", base64URL(x)), ("y", base64URL(y))]
        case .ed25519(let bytes):
            [("crv", "Ed25519"), ("kty", "OKP"), ("x", base64URL(bytes))]
        }
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes.span, .url), as: UTF8.self)
    }
}
