import Bytes
import COpenSSL

/// A key of AES-256-GCM (SP 800-38D). Nonces are random, so one key must not seal more than 2^32 messages.
package final class AEADKey: Sendable {
    private static let nonceLength = 12
    private static let tagLength = 16
    private static let sealing = 0
    private static let opening = 1

    private let contexts: ContextPool

    /// Bytes that sealing adds to a message.
    package static let overhead = nonceLength + tagLength

    /// A key of 32 bytes; nil for another length.
    package init?(_ key: Span<UInt8>) {
        guard key.count == 32 else { return nil }
        let key = [UInt8](copying: key)
        contexts = unsafe ContextPool(
            make: { use in unsafe AEADKey.makeContext(key, sealing: use == AEADKey.sealing) },
            free: { unsafe EVP_CIPHER_CTX_free($0) }
        )
    }

    /// Returns nonce, ciphertext and tag. The authenticated bytes are not included.
    package func seal(_ plaintext: Span<UInt8>, authenticating: Span<UInt8>) -> [UInt8] {
        precondition(plaintext.count <= Int(Int32.max) - AEADKey.overhead)
        let sealed = unsafe contexts.withContext(for: AEADKey.sealing) { context in
            unsafe [UInt8].filled(capacity: plaintext.count + AEADKey.overhead) { out in
                unsafe AEADKey.seal(plaintext, authenticating: authenticating, context: context, out: out)
            }
        }
        guard let sealed = sealed ?? nil else { fatalError("libcrypto cannot seal with AES-256-GCM") }
        return sealed
    }

    /// The plaintext of a result of `seal`; nil if the message, the authenticated bytes or the key differ.
    package func open(_ sealed: Span<UInt8>, authenticating: Span<UInt8>) -> [UInt8]? {
        guard sealed.count >= AEADKey.overhead, sealed.count <= Int(Int32.max) else { return nil }
        let opened = unsafe contexts.withContext(for: AEADKey.opening) { context in
            unsafe [UInt8].filled(capacity: sealed.count - AEADKey.overhead) { out in
                unsafe AEADKey.open(sealed, authenticating: authenticating, context: context, out: out)
            }
        }
        if opened ?? nil == nil { OpenSSLLibrary.clearErrors() }
        return opened ?? nil
    }

    // SAFETY, of the three below: `context` is lent to this call alone; `out` has room for what is written: the sealed
    // length, or the sealed length less the overhead; spans outlive the closures that lend their pointers.

    private static func seal(
        _ plaintext: Span<UInt8>, authenticating: Span<UInt8>, context: OpaquePointer, out: UnsafeMutablePointer<UInt8>
    ) -> Int {
        unsafe plaintext.withBytes { start, count in
            unsafe authenticating.withBytes { extra, extraCount in
                var written: Int32 = 0
                let body = unsafe out + nonceLength
                guard unsafe RAND_bytes(out, Int32(nonceLength)) == 1,
                    unsafe EVP_EncryptInit_ex2(context, nil, nil, out, nil) == 1,
                    unsafe EVP_EncryptUpdate(context, nil, &written, extra, Int32(extraCount)) == 1,
                    unsafe EVP_EncryptUpdate(context, body, &written, start, Int32(count)) == 1,
                    unsafe EVP_EncryptFinal_ex(context, body + count, &written) == 1,
                    unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), body + count) == 1
                else { return -1 }
                return count + overhead
            }
        }
    }

    private static func open(
        _ sealed: Span<UInt8>, authenticating: Span<UInt8>, context: OpaquePointer, out: UnsafeMutablePointer<UInt8>
    ) -> Int {
        unsafe sealed.withBytes { start, sealedCount in
            unsafe authenticating.withBytes { extra, extraCount in
                var written: Int32 = 0
                let count = sealedCount - overhead
                let body = unsafe start + nonceLength
                let tag = unsafe UnsafeMutablePointer(mutating: body + count)
                guard unsafe EVP_DecryptInit_ex2(context, nil, nil, start, nil) == 1,
                    unsafe EVP_DecryptUpdate(context, nil, &written, extra, Int32(extraCount)) == 1,
                    unsafe EVP_DecryptUpdate(context, out, &written, body, Int32(count)) == 1,
                    unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), tag) == 1,
                    unsafe EVP_DecryptFinal_ex(context, out + count, &written) == 1
                else {
                    unsafe OPENSSL_cleanse(out, count)
                    return -1
                }
                return count
            }
        }
    }

    private static func makeContext(_ key: [UInt8], sealing: Bool) -> OpaquePointer? {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        let ready = unsafe key.span.withBytes { bytes, _ in
            unsafe EVP_CipherInit_ex2(context, EVP_aes_256_gcm(), bytes, nil, sealing ? 1 : 0, nil)
        }
        guard ready == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            return nil
        }
        return unsafe context
    }
}

/// Keys in rotation (DEC-12): the first encrypts, all decrypt. A new key is added in front, and an old one removed once
/// nothing that it encrypted is needed.
package struct AEADKeyRing: Sendable {
    private let keys: [AEADKey]

    /// Keys, newest first; nil for none.
    package init?(_ keys: [AEADKey]) {
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    /// Seals with the first key.
    package func seal(_ plaintext: Span<UInt8>, authenticating: Span<UInt8>) -> [UInt8] {
        keys[0].seal(plaintext, authenticating: authenticating)
    }

    /// Opens with the key that fits.
    package func open(_ sealed: Span<UInt8>, authenticating: Span<UInt8>) -> [UInt8]? {
        for key in keys {
            if let plaintext = key.open(sealed, authenticating: authenticating) { return plaintext }
        }
        return nil
    }
}
