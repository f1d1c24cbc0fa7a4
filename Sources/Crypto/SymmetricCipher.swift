import Bytes
import COpenSSL

/// AES with a key of 16, 24 or 32 bytes, and triple DES with one of 24 bytes for existing data (CRYPTO-04). Sealed data
/// begins with a random nonce or initialisation vector, and with GCM ends with the tag.
package struct SymmetricCipher: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        /// Authenticated encryption.
        case gcm = "GCM"
        /// With PKCS #7 padding, not authenticated.
        case cbc = "CBC"
    }

    package enum Failure: Error, Equatable, Sendable {
        /// An unknown algorithm, or one that this build of libcrypto does not have.
        case unsupported
        /// The key has the wrong length for the algorithm.
        case keyLength
        /// The sealed data was changed, or sealed with another key.
        case cannotOpen
    }

    private static let tagLength = 16
    private static let algorithms: [(name: String, keyLength: Int, mode: Mode, vector: Int, seals: Bool)] = [
        ("AES-128-GCM", 16, .gcm, 12, true), ("AES-192-GCM", 24, .gcm, 12, true), ("AES-256-GCM", 32, .gcm, 12, true),
        ("AES-128-CBC", 16, .cbc, 16, true), ("AES-192-CBC", 24, .cbc, 16, true), ("AES-256-CBC", 32, .cbc, 16, true),
        ("DES-EDE3-CBC", 24, .cbc, 8, false),
    ]

    private let name: String
    private let key: [UInt8]
    private let mode: Mode
    private let vectorLength: Int
    private let mayEncrypt: Bool

    /// - Parameter name: the algorithm, such as `AES-256-GCM`. Single DES is not supported, since it is broken.
    package init(named name: String, key: [UInt8]) throws(Failure) {
        guard let algorithm = SymmetricCipher.algorithms.first(where: { $0.name.isExactly(name) }) else {
            throw .unsupported
        }
        guard key.count == algorithm.keyLength else { throw .keyLength }
        self.name = algorithm.name
        self.key = key
        mode = algorithm.mode
        vectorLength = algorithm.vector
        mayEncrypt = algorithm.seals
    }

    /// A random nonce or initialisation vector, the ciphertext and the tag.
    package func seal(_ plaintext: [UInt8]) throws(Failure) -> [UInt8] {
        guard mayEncrypt, plaintext.count < Int(Int32.max) - 64 else { throw .unsupported }
        let vector = SecureRandom.bytes(vectorLength)
        let sealed = unsafe try run(vector, isEncrypting: true) { context in
            guard let body = unsafe SymmetricCipher.output(context, plaintext.span) else { return nil }
            guard mode == .gcm else { return body }
            let tag = unsafe [UInt8].filled(capacity: SymmetricCipher.tagLength) { out in
                let length = Int32(SymmetricCipher.tagLength)
                return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, length, out) == 1 ? Int(length) : -1
            }
            return tag.map { body + $0 }
        }
        return vector + sealed
    }

    /// The plaintext of a result of `seal`.
    package func open(_ sealed: [UInt8]) throws(Failure) -> [UInt8] {
        let tagLength = mode == .gcm ? SymmetricCipher.tagLength : 0
        guard sealed.count >= vectorLength + tagLength, sealed.count < Int(Int32.max) else { throw .cannotOpen }
        let body = Array(sealed[vectorLength..<(sealed.count - tagLength)])
        var tag = Array(sealed[(sealed.count - tagLength)...])
        return unsafe try run(Array(sealed[..<vectorLength]), isEncrypting: false) { context in
            if tagLength > 0 {
                let isSet = unsafe tag.withUnsafeMutableBytes { bytes in
                    unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), bytes.baseAddress)
                }
                guard isSet == 1 else { return nil }
            }
            return unsafe SymmetricCipher.output(context, body.span)
        }
    }

    private func run(
        _ vector: [UInt8], isEncrypting: Bool, _ body: (OpaquePointer) -> [UInt8]?
    ) throws(Failure) -> [UInt8] {
        // SAFETY: both objects are this call's own; libcrypto reads the arrays during the calls only.
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            OpenSSLLibrary.clearErrors()
            throw .unsupported
        }
        defer { unsafe EVP_CIPHER_free(cipher) }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .unsupported }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let isReady = unsafe EVP_CipherInit_ex2(context, cipher, key, vector, isEncrypting ? 1 : 0, nil) == 1
        guard isReady, let output = unsafe body(context) else {
            OpenSSLLibrary.clearErrors()
            throw .cannotOpen
        }
        return output
    }

    /// Processes an input with an initialised context.
    static func output(_ context: OpaquePointer, _ input: Span<UInt8>) -> [UInt8]? {
        // SAFETY: the output is at most one block longer than the input.
        unsafe [UInt8].filled(capacity: input.count + 16) { out in
            unsafe input.withBytes { start, count in
                var body: Int32 = 0
                var rest: Int32 = 0
                guard unsafe EVP_CipherUpdate(context, out, &body, start, Int32(count)) == 1,
                    unsafe EVP_CipherFinal_ex(context, out + Int(body), &rest) == 1
                else { return -1 }
                return Int(body + rest)
            }
        }
    }
}
