import Bytes
import COpenSSL

/// Unpredictable bytes of libcrypto's generator. The program ends if it fails, since nothing may be issued without
/// randomness.
package enum SecureRandom {
    /// `count` fresh bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max))
        let bytes = unsafe [UInt8].filled(capacity: count) { out in
            // SAFETY: `out` has room for `count` bytes.
            unsafe RAND_bytes(out, Int32(count)) == 1 ? count : -1
        }
        guard let bytes else { fatalError("libcrypto has no randomness") }
        return bytes
    }

    /// `count` fresh bytes as text that is safe in URLs, cookies and header fields.
    package static func text(_ count: Int) -> String {
        String(decoding: Base64.encode(bytes(count).span, .url), as: UTF8.self)
    }

    /// 64 fresh bits.
    package static func uint64() -> UInt64 {
        var value: UInt64 = 0
        let filled = unsafe withUnsafeMutableBytes(of: &value) { buffer in
            // SAFETY: the buffer is the integer's eight bytes, alive for the closure.
            unsafe RAND_bytes(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), 8)
        }
        guard filled == 1 else { fatalError("libcrypto has no randomness") }
        return value
    }
}
