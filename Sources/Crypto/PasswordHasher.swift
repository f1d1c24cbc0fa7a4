import Bytes

/// Creates and verifies stored passwords, `{scheme}payload` (CRYPTO-01).
///
/// Both take tens of milliseconds for slow schemes: callers run them on the pool of hashes. Thread-safe.
package struct PasswordHasher: Sendable {
    /// Limit of passwords and stored texts in bytes.
    package static let maximumLength = 1024
    private static let maximumStoredLength = 4096
    private static let maximumSaltLength = 64

    private let cipher: PasswordCipher?
    /// Least length of passwords that are newly set, in Unicode code points (NIST SP 800-63B section 3.1.1.2).
    private let leastLength: Int

    /// - Parameters:
    ///   - aesKey: the key of the reversible scheme `AES`, of 16, 24 or 32 bytes. Without one, or with one of another length,
    ///     no password of that scheme verifies.
    ///   - leastLength: of passwords that `makeNew` takes, in code points.
    package init(aesKey: [UInt8]? = nil, leastLength: Int = 1) {
        cipher = aesKey.flatMap { PasswordCipher($0) }
        self.leastLength = leastLength
    }

    /// Whether the password is the stored one. False for an unknown or absent scheme and for a malformed payload.
    package func verify(_ password: Span<UInt8>, stored: String) -> Bool {
        guard !password.isEmpty, password.count <= Self.maximumLength, stored.utf8.count <= Self.maximumStoredLength,
            let (scheme, payload) = PasswordScheme.split(stored), !payload.isEmpty
        else { return false }
        switch scheme {
        case .plainText:
            return constantTimeEqual(payload.span, password)
        case .aes:
            guard let sealed = Base64.decode(payload.span), let text = cipher?.decrypt(sealed) else { return false }
            return constantTimeEqual(text.span, password)
        case .scrypt, .pbkdf2SHA512:
            guard let (derivation, salt, hash) = PasswordDerivation.parse(payload, scheme),
                let computed = derivation.hash(password, salt: salt.span, length: hash.count)
            else { return false }
            return constantTimeEqual(computed.span, hash.span)
        default:
            guard let digest = scheme.digest else { return false }
            return verify(password, payload, digest, salted: scheme.isSalted)
        }
    }

    /// The stored form of a password with a fresh salt.
    /// - Parameter saltBits: length of the salt, a multiple of 8; schemes without a salt ignore it.
    package func make(
        _ password: Span<UInt8>, scheme: PasswordScheme = .scrypt, saltBits: Int = 128
    ) throws(PasswordError) -> String {
        guard !password.isEmpty, password.count <= Self.maximumLength else { throw .invalidLength }
        if scheme.isSalted {
            // Short salts are allowed for fast schemes only, for existing stores.
            let range = (scheme.isSlow ? 64 : 8)...Self.maximumSaltLength * 8
            guard saltBits % 8 == 0, range.contains(saltBits) else { throw .invalidSaltLength }
        }
        return try "{\(scheme.rawValue)}\(payload(password, scheme, saltLength: saltBits / 8))"
    }

    /// The stored form of a password that is newly set, and so must have the least length.
    package func makeNew(_ password: Span<UInt8>, scheme: PasswordScheme = .scrypt) throws(PasswordError) -> String {
        try checkNew(password)
        return try make(password, scheme: scheme)
    }

    /// Whether a password may be newly set, by its length.
    package func checkNew(_ password: Span<UInt8>) throws(PasswordError) {
        guard !password.isEmpty, password.count <= Self.maximumLength else { throw .invalidLength }
        if String(copying: password).unicodeScalars.count < leastLength { throw .tooShort(leastLength) }
    }

    private func verify(_ password: Span<UInt8>, _ payload: [UInt8], _ digest: DigestAlgorithm, salted: Bool) -> Bool {
        guard let decoded = Base64.decode(payload.span) else { return false }
        let saltLength = decoded.count - digest.length
        guard salted ? (1...Self.maximumSaltLength).contains(saltLength) : saltLength == 0 else { return false }
        let computed = hash(password, salt: decoded[digest.length...], digest)
        return constantTimeEqual(computed.span, decoded.span)
    }

    private func payload(
        _ password: Span<UInt8>, _ scheme: PasswordScheme, saltLength: Int
    ) throws(PasswordError) -> String {
        switch scheme {
        case .plainText:
            guard let text = String(validating: [UInt8](copying: password), as: UTF8.self) else { throw .notText }
            return text
        case .aes:
            guard let cipher else { throw .missingKey }
            guard let sealed = cipher.encrypt(password) else { throw .unavailable }
            return Self.base64(sealed)
        case .scrypt, .pbkdf2SHA512:
            let derivation: PasswordDerivation = scheme == .scrypt ? .defaultScrypt : .defaultPBKDF2
            let salt = SecureRandom.bytes(saltLength)
            guard let hash = derivation.hash(password, salt: salt.span, length: PasswordDerivation.hashLength) else {
                throw .unavailable
            }
            return "\(derivation.parameters)$\(Self.base64(salt))$\(Self.base64(hash))"
        default:
            guard let digest = scheme.digest else { throw .unavailable }
            let salt = SecureRandom.bytes(scheme.isSalted ? saltLength : 0)
            return Self.base64(hash(password, salt: salt[...], digest))
        }
    }

    /// digest(password ‖ salt) ‖ salt.
    private func hash(_ password: Span<UInt8>, salt: ArraySlice<UInt8>, _ digest: DigestAlgorithm) -> [UInt8] {
        let message = [UInt8](copying: password) + salt
        return digest.digest(message.span) + salt
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes.span), as: UTF8.self)
    }
}
