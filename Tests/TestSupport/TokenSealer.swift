import Bytes
import Crypto
import Model

/// Encrypts tokens as their issuers do (RFC 7516 section 5.1), well or badly.
package struct TokenSealer: Sendable {
    private struct Failure: Error {}

    private let pem: String
    private let curve: EllipticCurve?

    /// - Parameters:
    ///   - key: the recipient's.
    ///   - curve: its curve; nil for RSA.
    package init(_ key: SigningKey, curve: EllipticCurve? = nil) {
        pem = key.pem
        self.curve = curve
    }

    /// A JWE in compact serialisation.
    /// - Parameters:
    ///   - more: further members of the header, each behind a comma.
    ///   - epk: in place of the ephemeral key that was used.
    package func seal(
        _ content: String, alg: String? = nil, enc: String = "A256GCM", more: String = "", epk: String? = nil
    ) throws -> String {
        var members = #""alg":"\#(alg ?? (curve == nil ? "RSA-OAEP-256" : "ECDH-ES"))","enc":"\#(enc)"\#(more)"#
        var key = SecureRandom.bytes(32)
        var wrapped: [UInt8] = []
        if let curve {
            let ephemeral = SigningKey.generate(curve.algorithm)
            let recipient = try SigningKey(pem: pem, algorithm: curve.algorithm)
            guard case .elliptic(_, let x, let y)? = recipient.verificationKey.publicKey,
                case .elliptic(_, let ownX, let ownY)? = ephemeral.verificationKey.publicKey,
                let secret = try RecipientKey(pem: ephemeral.pem).sharedSecret(x: x, y: y)
            else { throw Failure() }
            key = ConcatKDF.key(secret, for: "A256GCM", [[], []], bits: 256)
            let own =
                #"{"kty":"EC","crv":"\#(curve.rawValue)","x":"\#(TokenSealer.text(ownX))","y":"\#(TokenSealer.text(ownY))"}"#
            members += #","epk":\#(epk ?? own)"#
        } else {
            wrapped = try KeyWrapping(pem: pem).wrap(key)
        }
        let header = TokenSealer.text(Array("{\(members)}".utf8))
        guard let cipher = AEADKey(key.span) else { throw Failure() }
        let sealed = cipher.seal(Array(content.utf8).span, authenticating: Array(header.utf8).span)
        let parts = [
            wrapped, Array(sealed.prefix(12)), Array(sealed.dropFirst(12).dropLast(16)), Array(sealed.suffix(16)),
        ]
        return ([header] + parts.map(TokenSealer.text)).joined(separator: ".")
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes.span, .url), as: UTF8.self)
    }
}
