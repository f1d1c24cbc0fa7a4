import COpenSSL

extension DigestAlgorithm {
    /// HMAC (RFC 2104) of a message.
    package func hmac(key: Span<UInt8>, _ message: Span<UInt8>) -> [UInt8] {
        guard let context = unsafe EVP_MAC_CTX_new(HMACMethod.shared.pointer) else {
            fatalError("libcrypto is out of memory")
        }
        defer { unsafe EVP_MAC_CTX_free(context) }
        let code = unsafe [UInt8].filled(capacity: length) { out in
            // SAFETY: the context is this call's own; `out` has room for `length` bytes; spans outlive the closures.
            unsafe key.withBytes { keyStart, keyCount in
                unsafe message.withBytes { start, count in
                    var written = 0
                    guard unsafe copenssl_hmac_start(context, nameText, keyStart, keyCount) == 1,
                        unsafe EVP_MAC_update(context, start, count) == 1,
                        unsafe EVP_MAC_final(context, out, &written, length) == 1
                    else { return -1 }
                    return written
                }
            }
        }
        guard let code else { fatalError("libcrypto cannot compute an HMAC") }
        return code
    }

    // SAFETY: an EVP_MAC is immutable after the fetch and shared by all threads; it lives as long as the program.
    @safe
    private struct HMACMethod: @unchecked Sendable {
        static let shared = HMACMethod()

        let pointer: OpaquePointer

        init() {
            guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { fatalError("libcrypto lacks HMAC") }
            unsafe pointer = method
        }
    }
}
