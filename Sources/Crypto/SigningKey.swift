import Bytes
import COpenSSL
import Model

/// A private key or secret with its signature algorithm.
package final class SigningKey: Sendable {
    package let algorithm: SignatureAlgorithm
    /// The key that verifies the signatures.
    package let verificationKey: VerificationKey
    private let object: KeyObject?
    private let secret: [UInt8]
    private let contexts: ContextPool

    private static let secretHeader = "-----BEGIN HMAC SECRET-----"
    private static let secretFooter = "-----END HMAC SECRET-----"

    /// Bits of a new RSA key.
    private static let generatedRSABits = 3072

    private init(_ object: KeyObject, _ algorithm: SignatureAlgorithm) throws(KeyError) {
        let verificationKey = try VerificationKey(object.publicKey())
        guard verificationKey.supports(algorithm) else { throw .algorithmMismatch }
        self.algorithm = algorithm
        self.verificationKey = verificationKey
        self.object = object
        secret = []
        contexts = unsafe ContextPool(
            make: { _ in unsafe SigningKey.makeContext(object, algorithm) },
            free: { unsafe EVP_PKEY_CTX_free($0) }
        )
        try prove()
    }

    /// Signs once, so that an inconsistent key is refused when it is read instead of at the first token.
    private func prove() throws(KeyError) {
        let message = SigningKey.proof
        guard let signature = signature(of: message.span) else {
            OpenSSLLibrary.clearErrors()
            throw .inconsistent
        }
        guard verificationKey.verify(signature.span, of: message.span, algorithm) else { throw .inconsistent }
    }

    private static let proof = Array("a key that signs".utf8)

    /// A private key in PEM form (PKCS #8, or the older RSA and EC forms; not encrypted), or a secret in the form of
    /// `pem`.
    package convenience init(pem: String, algorithm: SignatureAlgorithm) throws(KeyError) {
        if algorithm.isSymmetric {
            try self.init(secret: SigningKey.secret(ofPEM: pem), algorithm: algorithm)
        } else {
            try self.init(KeyObject(privatePEM: pem), algorithm)
        }
    }

    /// A shared secret, at least as long as the algorithm's hash (RFC 7518 section 3.2).
    package init(secret: [UInt8], algorithm: SignatureAlgorithm) throws(KeyError) {
        guard algorithm.isSymmetric, let digest = algorithm.digest else { throw .algorithmMismatch }
        guard secret.count >= digest.length else {
            throw .tooShort(bits: secret.count * 8, required: digest.length * 8)
        }
        self.algorithm = algorithm
        verificationKey = try VerificationKey(secret: secret)
        object = nil
        self.secret = secret
        contexts = unsafe ContextPool(make: { _ in nil }, free: { _ in })
    }

    /// Generates a key; RSA keys may take some seconds. Throws for an algorithm that libcrypto has no keys for, such as
    /// EdDSA in some of its FIPS modules.
    package convenience init(generating algorithm: SignatureAlgorithm) throws(KeyError) {
        // SAFETY: each call returns a new key, of which the object takes ownership.
        let pointer: OpaquePointer?
        switch algorithm.family {
        case .hmac:
            try self.init(secret: SecureRandom.bytes(algorithm.digest?.length ?? 64), algorithm: algorithm)
            return
        case .rsaPKCS1, .rsaPSS: unsafe pointer = copenssl_generate_rsa(SigningKey.generatedRSABits)
        case .ecdsa:
            let curve = EllipticCurve.allCases.first { $0.algorithm == algorithm } ?? .p256
            unsafe pointer = copenssl_generate_ec(curve.rawValue)
        case .edDSA: unsafe pointer = copenssl_generate_ed25519()
        }
        guard let object = unsafe KeyObject(owning: pointer) else { throw .unsupportedKey }
        try self.init(object, algorithm)
    }

    /// Whether signing is slow (RSA) and belongs on the computing pool.
    package var isSlow: Bool { algorithm.family == .rsaPKCS1 || algorithm.family == .rsaPSS }

    /// The private key as unencrypted PKCS #8 in PEM form, or a secret with the label `HMAC SECRET`;
    /// `init(pem:algorithm:)` reads both. Store it in files of mode 0600 only.
    package var pem: String {
        if let object { return object.privatePEM }
        let secret = secret
        let text = String(decoding: Base64.encode(secret.span), as: UTF8.self)
        return "\(SigningKey.secretHeader)\n\(text)\n\(SigningKey.secretFooter)\n"
    }

    private static func secret(ofPEM pem: String) throws(KeyError) -> [UInt8] {
        let lines = pem.split(whereSeparator: \.isNewline)
        guard lines.count == 3, lines[0] == secretHeader, lines[2] == secretFooter,
            let secret = Base64.decode(Array(lines[1].utf8).span)
        else { throw .malformedPEM }
        return secret
    }

    /// The signature in JOSE's form: ES signatures are r and s side by side.
    package func sign(_ message: Span<UInt8>) -> [UInt8] {
        // The key has signed at its creation, so that only lack of memory remains.
        guard let signature = signature(of: message) else {
            fatalError("libcrypto cannot sign with \(algorithm.rawValue)")
        }
        return signature
    }

    private func signature(of message: Span<UInt8>) -> [UInt8]? {
        switch (verificationKey.kind, algorithm.digest) {
        case (.secret, .some(let digest)):
            let secret = secret
            return digest.hmac(key: secret.span, message)
        case (.rsa(let bits), .some(let digest)):
            return sign(digestOf: message, digest, capacity: (bits + 7) / 8)
        case (.elliptic(let curve), .some(let digest)):
            let der = sign(digestOf: message, digest, capacity: 2 * curve.coordinateLength + 16)
            return der.flatMap { ECDSASignature.raw(fromDER: $0.span, curve) }
        default:
            return signWhole(message)
        }
    }

    private func sign(digestOf message: Span<UInt8>, _ digest: DigestAlgorithm, capacity: Int) -> [UInt8]? {
        let hash = digest.digest(message)
        // SAFETY: the context is lent to this call alone; libcrypto writes at most `count` bytes to `out`.
        let signature = unsafe contexts.withContext(for: 0) { context in
            unsafe [UInt8].filled(capacity: capacity) { out in
                unsafe hash.span.withBytes { start, hashCount in
                    var count = capacity
                    return unsafe EVP_PKEY_sign(context, out, &count, start, hashCount) == 1 ? count : -1
                }
            }
        }
        return signature ?? nil
    }

    /// EdDSA processes the whole message; libcrypto 3.0 cannot reuse its contexts.
    private func signWhole(_ message: Span<UInt8>) -> [UInt8]? {
        guard let object, let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        // SAFETY: context and key live through the calls; an Ed25519 signature has 64 bytes.
        return unsafe [UInt8].filled(capacity: 64) { out in
            unsafe message.withBytes { start, textCount in
                var count = 64
                guard unsafe EVP_DigestSignInit(context, nil, nil, nil, object.pointer) == 1,
                    unsafe EVP_DigestSign(context, out, &count, start, textCount) == 1
                else { return -1 }
                return count
            }
        }
    }

    private static func makeContext(_ object: KeyObject, _ algorithm: SignatureAlgorithm) -> OpaquePointer? {
        // SAFETY: the context takes its own reference to the key and is freed here on failure, by the pool otherwise.
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, object.pointer, nil) else { return nil }
        guard unsafe EVP_PKEY_sign_init(context) == 1, unsafe algorithm.configure(context) else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe context
    }
}
