import COpenSSL

/// Encrypts short secrets, such as keys, to the holder of an RSA key: RSAES-OAEP with SHA-256 (RFC 8017 section 7.1;
/// CRYPTO-05).
package struct KeyWrapping: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// The key is not an RSA key.
        case unsupportedKey
        /// The secret is longer than the key can wrap.
        case tooLong
        /// The wrapped data was changed, or wrapped for another key.
        case cannotUnwrap
    }

    private let object: KeyObject
    private let isPrivate: Bool
    private let modulusLength: Int

    /// - Parameter pem: a private key, or a public one (`BEGIN PUBLIC KEY`), which wraps only.
    package init(pem: String) throws(KeyError) {
        isPrivate = !pem.contains("BEGIN PUBLIC KEY")
        object = try isPrivate ? KeyObject(privatePEM: pem) : KeyObject(publicPEM: pem)
        guard case .rsa(let modulus, _) = try object.publicKey() else { throw .unsupportedKey }
        modulusLength = (PublicKey.bitCount(modulus) + 7) / 8
    }

    /// The longest secret: what two hashes and two bytes leave of the modulus.
    package var maximumLength: Int { modulusLength - 2 * 32 - 2 }

    package func wrap(_ secret: [UInt8]) throws(Failure) -> [UInt8] {
        guard secret.count <= maximumLength else { throw .tooLong }
        guard let wrapped = run(secret, isWrapping: true) else { throw .unsupportedKey }
        return wrapped
    }

    package func unwrap(_ wrapped: [UInt8]) throws(Failure) -> [UInt8] {
        guard isPrivate else { throw .unsupportedKey }
        guard wrapped.count == modulusLength, let secret = run(wrapped, isWrapping: false) else { throw .cannotUnwrap }
        return secret
    }

    private func run(_ input: [UInt8], isWrapping: Bool) -> [UInt8]? {
        // SAFETY: the context is this call's own, and the key lives through it; libcrypto writes at most `count` bytes.
        guard let context = unsafe EVP_PKEY_CTX_new(object.pointer, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let isReady = unsafe isWrapping ? EVP_PKEY_encrypt_init(context) : EVP_PKEY_decrypt_init(context)
        guard isReady == 1, unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1
        else {
            OpenSSLLibrary.clearErrors()
            return nil
        }
        let output = unsafe [UInt8].filled(capacity: modulusLength) { out in
            unsafe input.span.withBytes { start, inputCount in
                var count = modulusLength
                let done =
                    unsafe isWrapping
                    ? EVP_PKEY_encrypt(context, out, &count, start, inputCount)
                    : EVP_PKEY_decrypt(context, out, &count, start, inputCount)
                return done == 1 ? count : -1
            }
        }
        if output == nil { OpenSSLLibrary.clearErrors() }
        return output
    }
}
