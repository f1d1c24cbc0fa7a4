import COpenSSL

/// An asymmetric key inside libcrypto.
@safe
final class KeyObject: @unchecked Sendable {
    // SAFETY: an EVP_PKEY is not changed after `init`, and libcrypto allows any number of threads to use one; freed in
    // `deinit`, which comes after the last context made from it has lost its reference.
    let pointer: OpaquePointer

    /// Takes ownership of the result of a libcrypto call; nil if the call failed.
    init?(owning pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else {
            OpenSSLLibrary.clearErrors()
            return nil
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// The key of a public part; every number is checked before libcrypto sees it.
    convenience init(_ key: PublicKey) throws(KeyError) {
        switch key {
        case .rsa(let modulus, let exponent):
            // SAFETY: libcrypto copies the bytes during the call; so below.
            let pointer = unsafe modulus.span.withBytes { n, nCount in
                unsafe exponent.span.withBytes { e, eCount in
                    unsafe copenssl_rsa_public_key(n, Int32(nCount), e, Int32(eCount))
                }
            }
            guard unsafe pointer != nil else { throw .invalidRSAKey }
            unsafe self.init(owning: pointer)!
        case .elliptic(let curve, let x, let y):
            guard x.count == curve.coordinateLength, y.count == curve.coordinateLength else { throw .invalidPoint }
            var point = [4] + x + y
            let pointer = unsafe point.withUnsafeMutableBufferPointer { buffer in
                unsafe copenssl_ec_public_key(curve.rawValue, buffer.baseAddress, buffer.count)
            }
            guard unsafe pointer != nil else {
                OpenSSLLibrary.clearErrors()
                throw .invalidPoint
            }
            unsafe self.init(owning: pointer)!
        case .ed25519(let bytes):
            guard bytes.count == 32 else { throw .invalidPoint }
            let pointer = unsafe bytes.span.withBytes { start, count in
                unsafe copenssl_ed25519_public_key(start, count)
            }
            guard unsafe pointer != nil else { throw .invalidPoint }
            unsafe self.init(owning: pointer)!
        }
    }

    /// The public part, checked.
    func publicKey() throws(KeyError) -> PublicKey {
        if unsafe copenssl_key_is(pointer, "RSA") == 1 {
            guard let n = integer("n"), let e = integer("e") else { throw .unsupportedKey }
            return try PublicKey.rsa(modulus: n, exponent: e).checked()
        }
        if unsafe copenssl_key_is(pointer, "ED25519") == 1 {
            // SAFETY: the length of an Ed25519 key is 32; libcrypto writes no more than `count`.
            let bytes = unsafe [UInt8].filled(capacity: 32) { out in
                var count = 32
                return unsafe EVP_PKEY_get_raw_public_key(pointer, out, &count) == 1 ? count : -1
            }
            guard let bytes, bytes.count == 32 else { throw .unsupportedKey }
            return .ed25519(bytes)
        }
        guard unsafe copenssl_key_is(pointer, "EC") == 1, let curve, let x = integer("qx"), let y = integer("qy") else {
            OpenSSLLibrary.clearErrors()
            throw .unsupportedKey
        }
        let length = curve.coordinateLength
        return .elliptic(curve, x: KeyObject.padded(x, to: length), y: KeyObject.padded(y, to: length))
    }

    private var curve: EllipticCurve? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        // SAFETY: libcrypto writes at most the buffer's length, with a NUL.
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else { return nil }
        switch String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) {
        case "prime256v1", "P-256": return .p256
        case "secp384r1", "P-384": return .p384
        case "secp521r1", "P-521": return .p521
        default: return nil
        }
    }

    /// A number of the key by libcrypto's name for it, such as the modulus `n`.
    private func integer(_ name: StaticString) -> [UInt8]? {
        // SAFETY: the name is static text with a NUL; libcrypto writes at most 2048 bytes.
        let bytes = unsafe [UInt8].filled(capacity: 2048) { out in
            let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            return unsafe Int(copenssl_key_integer(pointer, name, out, 2048))
        }
        guard let bytes, !bytes.isEmpty else { return nil }
        return bytes
    }

    private static func padded(_ bytes: [UInt8], to length: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, length - bytes.count)) + bytes
    }
}
