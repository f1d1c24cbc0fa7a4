import COpenSSL

/// AES in CBC mode with the padding of PKCS #7, for stored passwords that must be read back (CRYPTO-01 `AES`).
struct PasswordCipher: Sendable {
    private static let blockLength = 16

    private let key: [UInt8]

    /// A key of 16, 24 or 32 bytes; nil for another length.
    init?(_ key: [UInt8]) {
        guard [16, 24, 32].contains(key.count) else { return nil }
        self.key = key
    }

    /// A random initialisation vector and the ciphertext.
    func encrypt(_ plaintext: Span<UInt8>) -> [UInt8]? {
        let vector = SecureRandom.bytes(Self.blockLength)
        guard let ciphertext = run(plaintext, vector: vector, encrypting: true) else { return nil }
        return vector + ciphertext
    }

    /// The plaintext of a result of `encrypt`; nil if it is damaged or has another key.
    func decrypt(_ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count >= 2 * Self.blockLength, sealed.count % Self.blockLength == 0 else { return nil }
        let ciphertext = Array(sealed[Self.blockLength...])
        return run(ciphertext.span, vector: Array(sealed[..<Self.blockLength]), encrypting: false)
    }

    private func run(_ input: Span<UInt8>, vector: [UInt8], encrypting: Bool) -> [UInt8]? {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let key = key
        // SAFETY: the context is this call's own; libcrypto reads the arrays during the calls only.
        let ready = unsafe EVP_CipherInit_ex2(context, cipher, key, vector, encrypting ? 1 : 0, nil)
        guard ready == 1 else { return nil }
        let output = unsafe SymmetricCipher.output(context, input)
        if output == nil { OpenSSLLibrary.clearErrors() }
        return output
    }

    private var cipher: OpaquePointer? {
        switch key.count {
        case 16: unsafe EVP_aes_128_cbc()
        case 24: unsafe EVP_aes_192_cbc()
        default: unsafe EVP_aes_256_cbc()
        }
    }
}
