import COpenSSL

/// The hash functions of FIPS 180-4 that Portcullis uses.
package enum DigestAlgorithm: Sendable, CaseIterable {
    /// Only for existing stored passwords (CRYPTO-01), never for signatures.
    case sha1
    case sha224
    case sha256
    case sha384
    case sha512

    /// The longest digest of all, in bytes.
    package static let maximumLength = 64

    /// Length of the digest in bytes.
    package var length: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of the bytes.
    package func digest(_ bytes: Span<UInt8>) -> [UInt8] {
        let digest = unsafe [UInt8].filled(capacity: length) { out in
            // SAFETY: `out` has room for `length` bytes, the length of this method's digest.
            unsafe bytes.withBytes { start, count in
                unsafe EVP_Digest(start, count, out, nil, method, nil) == 1 ? length : -1
            }
        }
        guard let digest else { fatalError("libcrypto cannot compute a digest") }
        return digest
    }

    /// libcrypto's method object, fetched once: a fetch by name costs more than hashing a token.
    var method: OpaquePointer {
        switch self {
        case .sha1: unsafe Fetched.sha1.pointer
        case .sha224: unsafe Fetched.sha224.pointer
        case .sha256: unsafe Fetched.sha256.pointer
        case .sha384: unsafe Fetched.sha384.pointer
        case .sha512: unsafe Fetched.sha512.pointer
        }
    }

    /// libcrypto's name of the function.
    var name: StaticString {
        switch self {
        case .sha1: "SHA1"
        case .sha224: "SHA2-224"
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        case .sha512: "SHA2-512"
        }
    }

    /// The name as C text.
    var nameText: UnsafePointer<CChar> {
        // SAFETY: a StaticString's text is static and ends with a NUL.
        unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private enum Fetched {
        static let sha1 = Method(.sha1)
        static let sha224 = Method(.sha224)
        static let sha256 = Method(.sha256)
        static let sha384 = Method(.sha384)
        static let sha512 = Method(.sha512)
    }

    // SAFETY: an EVP_MD is immutable after the fetch and shared by all threads; it lives as long as the program.
    @safe
    private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ algorithm: DigestAlgorithm) {
            guard let method = unsafe EVP_MD_fetch(nil, algorithm.nameText, nil) else {
                fatalError("libcrypto lacks \(algorithm.name)")
            }
            unsafe pointer = method
        }
    }
}

/// Compares bytes in a time that depends on their lengths only.
package func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    // SAFETY: both pointers are good for the common count during the call.
    return unsafe left.withBytes { a, count in
        unsafe right.withBytes { b, _ in unsafe CRYPTO_memcmp(a, b, count) == 0 }
    }
}
