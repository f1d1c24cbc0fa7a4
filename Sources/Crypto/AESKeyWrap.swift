import COpenSSL

/// AES Key Wrap (RFC 3394), which detects changes.
package enum AESKeyWrap {
    /// The wrapped key; nil if it was changed or wrapped with another key.
    ///
    /// - Parameter key: 32 bytes.
    package static func unwrap(_ wrapped: [UInt8], with key: [UInt8]) -> [UInt8]? {
        guard key.count == 32, wrapped.count >= 24, wrapped.count <= 1024, wrapped.count % 8 == 0 else { return nil }
        // SAFETY: the context is this call's own; libcrypto reads the key, of the cipher's length, during the call only.
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer {
            unsafe EVP_CIPHER_CTX_free(context)
            OpenSSLLibrary.clearErrors()
        }
        unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        guard unsafe EVP_DecryptInit_ex(context, EVP_aes_256_wrap(), nil, key, nil) == 1 else { return nil }
        return unsafe SymmetricCipher.output(context, wrapped.span)
    }
}
