import COpenSSL

/// HMAC with one key, readied once and used for any number of messages. Belongs to one thread at a time.
@safe
final class HMACContext {
    // SAFETY: made in `init`, freed in `deinit`, never leaves this file.
    private let context: OpaquePointer
    private let length: Int

    init(_ algorithm: DigestAlgorithm, key: Span<UInt8>) {
        length = algorithm.length
        guard let context = unsafe EVP_MAC_CTX_new(HMACContext.method.pointer) else {
            fatalError("libcrypto is out of memory")
        }
        unsafe self.context = context
        let started = unsafe key.withBytes { start, count in
            unsafe algorithm.withName { unsafe copenssl_hmac_start(context, $0, start, count) }
        }
        precondition(started == 1, "libcrypto cannot start an HMAC")
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// The code of one message.
    func authenticate(_ message: Span<UInt8>) -> [UInt8] {
        let code = unsafe [UInt8].filled(capacity: length) { out in
            // SAFETY: a null key restarts the context with the key it has; `out` has room for `length` bytes.
            unsafe message.withBytes { start, count in
                var written = 0
                guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1,
                    unsafe EVP_MAC_update(context, start, count) == 1,
                    unsafe EVP_MAC_final(context, out, &written, length) == 1
                else { return -1 }
                return written
            }
        }
        guard let code else { fatalError("libcrypto cannot compute an HMAC") }
        return code
    }

    private static let method = Method()

    // SAFETY: an EVP_MAC is immutable after the fetch and shared by all threads; it lives as long as the program.
    @safe
    private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer

        init() {
            guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { fatalError("libcrypto lacks HMAC") }
            unsafe pointer = method
        }
    }
}

@available(*, unavailable)
extension HMACContext: Sendable {}
