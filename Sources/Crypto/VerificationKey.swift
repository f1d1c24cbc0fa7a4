import COpenSSL
import Model

/// A key that verifies signatures: an RSA, EC or Ed25519 public key, or a shared secret.
///
/// Parsed and checked once; thread-safe. The type of the key decides about algorithms, never the message.
package final class VerificationKey: Sendable {
    package enum Kind: Equatable, Sendable {
        case rsa(bits: Int)
        case elliptic(EllipticCurve)
        case ed25519
        /// A shared secret, with its length in bytes.
        case secret(count: Int)
    }

    package let kind: Kind
    /// The public part; nil for a secret.
    package let publicKey: PublicKey?
    private let object: KeyObject?
    private let secret: [UInt8]
    private let contexts: ContextPool

    /// A checked public key.
    package init(_ publicKey: PublicKey) throws(KeyError) {
        let publicKey = try publicKey.checked()
        let object = try KeyObject(publicKey)
        kind =
            switch publicKey {
            case .rsa(let modulus, _): .rsa(bits: PublicKey.bitCount(modulus))
            case .elliptic(let curve, _, _): .elliptic(curve)
            case .ed25519: .ed25519
            }
        self.publicKey = publicKey
        self.object = object
        secret = []
        contexts = unsafe ContextPool(
            make: { use in unsafe VerificationKey.makeContext(object, SignatureAlgorithm.allCases[use]) },
            free: { unsafe EVP_PKEY_CTX_free($0) }
        )
    }

    /// An RSA public key (RFC 7518 section 6.3.1): big-endian modulus and exponent.
    package convenience init(rsaModulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
        try self.init(.rsa(modulus: rsaModulus, exponent: exponent))
    }

    /// An EC public key (RFC 7518 section 6.2.1); the point must be on the curve.
    package convenience init(_ curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(KeyError) {
        try self.init(.elliptic(curve, x: x, y: y))
    }

    /// An Ed25519 public key of 32 bytes (RFC 8037 section 2).
    package convenience init(ed25519: [UInt8]) throws(KeyError) { try self.init(.ed25519(ed25519)) }

    /// A public key in PEM form, `BEGIN PUBLIC KEY`.
    package convenience init(pem: String) throws(KeyError) { try self.init(KeyObject(publicPEM: pem).publicKey()) }

    /// A secret shared with the signer, of at least 256 bits (RFC 7518 section 3.2).
    package init(secret: [UInt8]) throws(KeyError) {
        guard secret.count >= 32 else { throw .tooShort(bits: secret.count * 8, required: 256) }
        kind = .secret(count: secret.count)
        publicKey = nil
        object = nil
        self.secret = secret
        contexts = unsafe ContextPool(make: { _ in nil }, free: { _ in })
    }

    /// Whether the algorithm may be used with this key: type and curve match, and a secret is at least as long as the
    /// hash.
    package func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (kind, algorithm.family) {
        case (.rsa, .rsaPKCS1), (.rsa, .rsaPSS), (.ed25519, .edDSA): true
        case (.elliptic(let curve), .ecdsa): curve.algorithm == algorithm
        case (.secret(let count), .hmac): count >= algorithm.digest?.length ?? .max
        default: false
        }
    }

    /// Whether the signature of the message is valid. ES signatures are r and s side by side. False for an unsupported
    /// algorithm.
    package func verify(_ signature: Span<UInt8>, of message: Span<UInt8>, _ algorithm: SignatureAlgorithm) -> Bool {
        guard supports(algorithm) else { return false }
        switch (kind, algorithm.digest) {
        case (.secret, .some(let digest)):
            let secret = secret
            let code = digest.hmac(key: secret.span, message)
            return constantTimeEqual(code.span, signature)
        case (.rsa(let bits), .some(let digest)):
            guard signature.count == (bits + 7) / 8 else { return false }
            return verify(digestOf: message, digest, signature, algorithm)
        case (.elliptic(let curve), .some(let digest)):
            guard let der = ECDSASignature.der(fromRaw: signature, curve) else { return false }
            return verify(digestOf: message, digest, der.span, algorithm)
        case (.ed25519, nil):
            return verifyWhole(signature, of: message)
        default:
            return false
        }
    }

    private func verify(
        digestOf message: Span<UInt8>, _ digest: DigestAlgorithm, _ signature: Span<UInt8>,
        _ algorithm: SignatureAlgorithm
    ) -> Bool {
        let hash = digest.digest(message)
        // SAFETY: the context is lent to this call alone; the pointers are used while hash and span are alive.
        let result = unsafe contexts.withContext(for: algorithm.index) { context in
            unsafe hash.span.withBytes { hashStart, hashCount in
                unsafe signature.withBytes { start, count in
                    unsafe EVP_PKEY_verify(context, start, count, hashStart, hashCount)
                }
            }
        }
        if result != 1 { OpenSSLLibrary.clearErrors() }
        return result == 1
    }

    /// EdDSA processes the whole message; libcrypto 3.0 cannot reuse its contexts.
    private func verifyWhole(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        guard let object, signature.count == 64, let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        // SAFETY: context and key live through the calls; the pointers are used while the spans are alive.
        let result = unsafe signature.withBytes { start, count in
            unsafe message.withBytes { text, textCount -> Int32 in
                guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, object.pointer) == 1 else { return -1 }
                return unsafe EVP_DigestVerify(context, start, count, text, textCount)
            }
        }
        if result != 1 { OpenSSLLibrary.clearErrors() }
        return result == 1
    }

    private static func makeContext(_ object: KeyObject, _ algorithm: SignatureAlgorithm) -> OpaquePointer? {
        // SAFETY: the context takes its own reference to the key and is freed here on failure, by the pool otherwise.
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, object.pointer, nil) else { return nil }
        guard unsafe EVP_PKEY_verify_init(context) == 1, unsafe algorithm.configure(context) else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe context
    }
}

extension SignatureAlgorithm {
    /// Sets digest and padding of an initialised context.
    func configure(_ context: OpaquePointer) -> Bool {
        guard let digest, unsafe EVP_PKEY_CTX_set_signature_md(context, digest.method) == 1 else { return false }
        switch family {
        case .rsaPKCS1:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .rsaPSS:
            // The salt must be as long as the hash (RFC 7518 section 3.5).
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        case .ecdsa: return true
        case .hmac, .edDSA: return false
        }
    }
}
