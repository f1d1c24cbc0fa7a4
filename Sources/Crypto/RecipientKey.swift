import COpenSSL

/// A private key to which others encrypt: RSA by RSA-OAEP with SHA-256, or a key for key agreement on the curves P-256,
/// P-384, P-521 and X25519. Thread-safe.
package final class RecipientKey: Sendable {
    private enum Material {
        case wrapping(KeyWrapping)
        case agreement(KeyObject)
    }

    /// The curve as in JWK (RFC 7518 section 6.2.1.1, RFC 8037 section 2); nil for RSA.
    package let curve: String?
    /// SHA-256 of the public part, which is the same for all copies of a key.
    package let identity: [UInt8]
    private let material: Material

    private static let montgomery = "X25519"

    /// - Parameter pem: PKCS #8, or the older forms of RSA and EC keys; not encrypted.
    package init(pem: String) throws(KeyError) {
        let object = try KeyObject(privatePEM: pem)
        if unsafe copenssl_key_is(object.pointer, RecipientKey.montgomery) == 1 {
            (curve, material) = (RecipientKey.montgomery, .agreement(object))
        } else {
            switch try object.publicKey() {
            case .rsa: (curve, material) = (nil, .wrapping(try KeyWrapping(pem: pem)))
            case .elliptic(let curve, _, _): (self.curve, material) = (curve.rawValue, .agreement(object))
            case .ed25519: throw .unsupportedKey
            }
        }
        let text = Array(object.publicPEM.utf8)
        identity = DigestAlgorithm.sha256.digest(text.span)
    }

    /// The key that was wrapped with RSA-OAEP-256; nil if it was wrapped for another key, or this one is not RSA.
    package func unwrap(_ wrapped: [UInt8]) -> [UInt8]? {
        guard case .wrapping(let wrapping) = material else { return nil }
        return try? wrapping.unwrap(wrapped)
    }

    /// The shared secret with a public key (SP 800-56A section 5.7.1.2, RFC 7748 section 6.1); nil for a public key that is
    /// not on the curve, or that would give a secret of zeros.
    ///
    /// - Parameter y: empty for X25519.
    package func sharedSecret(x: [UInt8], y: [UInt8]) -> [UInt8]? {
        guard case .agreement(let object) = material, let peer = peer(x, y) else { return nil }
        // SAFETY: the context is this call's own, and both keys live through it; libcrypto writes at most `count` bytes.
        guard let context = unsafe EVP_PKEY_CTX_new(object.pointer, nil) else { return nil }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            OpenSSLLibrary.clearErrors()
        }
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, peer.pointer) == 1
        else {
            return nil
        }
        let longest = 66
        return unsafe [UInt8].filled(capacity: longest) { out in
            var count = longest
            return unsafe EVP_PKEY_derive(context, out, &count) == 1 ? count : -1
        }
    }

    private func peer(_ x: [UInt8], _ y: [UInt8]) -> KeyObject? {
        guard curve == RecipientKey.montgomery else {
            guard let curve = curve.flatMap(EllipticCurve.init(rawValue:)) else { return nil }
            return try? KeyObject(.elliptic(curve, x: x, y: y))
        }
        guard x.count == 32, y.isEmpty else { return nil }
        // SAFETY: libcrypto copies the bytes during the call.
        return unsafe KeyObject(
            owning: x.span.withBytes { start, count in unsafe copenssl_x25519_public_key(start, count) })
    }
}
