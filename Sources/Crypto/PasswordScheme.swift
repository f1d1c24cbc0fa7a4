/// The schemes of stored passwords: the twelve of CRYPTO-01, compatible with existing user files, and two slow ones.
/// New passwords are stored as `scrypt` (DEC-08).
package enum PasswordScheme: String, Sendable, CaseIterable {
    /// The password itself.
    case plainText = "PlainText"
    /// Base64 of IV and ciphertext, AES in CBC mode with the padding of PKCS #7; reversible with the key.
    case aes = "AES"
    /// Base64 of the digest.
    case sha1 = "SHA-1"
    case sha224 = "SHA-224"
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"
    /// Base64 of digest(password ‖ salt) ‖ salt (CRYPTO-03).
    case saltedSHA1 = "SaltedSHA-1"
    case saltedSHA224 = "SaltedSHA-224"
    case saltedSHA256 = "SaltedSHA-256"
    case saltedSHA384 = "SaltedSHA-384"
    case saltedSHA512 = "SaltedSHA-512"
    /// `ln=15,r=8,p=1$salt$hash` with Base64 salt and hash (RFC 7914).
    case scrypt = "scrypt"
    /// `i=210000$salt$hash` with Base64 salt and hash (RFC 8018).
    case pbkdf2SHA512 = "PBKDF2-SHA512"

    /// Whether a guess costs more than one hash; `check --production` requires such schemes.
    package var isSlow: Bool { self == .scrypt || self == .pbkdf2SHA512 }

    /// Whether hashes differ by a salt.
    package var isSalted: Bool {
        switch self {
        case .plainText, .aes, .sha1, .sha224, .sha256, .sha384, .sha512: false
        case .saltedSHA1, .saltedSHA224, .saltedSHA256, .saltedSHA384, .saltedSHA512, .scrypt, .pbkdf2SHA512: true
        }
    }

    /// Splits `{scheme}payload`; nil without a known scheme. Names are case-sensitive.
    static func split(_ stored: String) -> (scheme: PasswordScheme, payload: [UInt8])? {
        guard stored.utf8.first == UInt8(ascii: "{"), let end = stored.utf8.firstIndex(of: UInt8(ascii: "}")) else {
            return nil
        }
        let name = stored[stored.utf8.index(after: stored.startIndex)..<end]
        // Swift compares strings by canonical equivalence, so that the Kelvin sign equals K.
        guard name.utf8.allSatisfy({ $0 < 128 }), let scheme = PasswordScheme(rawValue: String(name)) else {
            return nil
        }
        return (scheme, Array(stored.utf8[stored.utf8.index(after: end)...]))
    }

    /// The hash of the ten digest schemes.
    var digest: DigestAlgorithm? {
        switch self {
        case .sha1, .saltedSHA1: .sha1
        case .sha224, .saltedSHA224: .sha224
        case .sha256, .saltedSHA256: .sha256
        case .sha384, .saltedSHA384: .sha384
        case .sha512, .saltedSHA512: .sha512
        case .plainText, .aes, .scrypt, .pbkdf2SHA512: nil
        }
    }
}

/// Why a password cannot be stored.
package enum PasswordError: Error, Equatable, Sendable {
    /// Empty, or longer than `PasswordHasher.maximumLength`.
    case invalidLength
    /// Of fewer code points than this.
    case tooShort(Int)
    /// Not UTF-8, which the scheme `PlainText` needs.
    case notText
    /// Not a multiple of 8 between 64 and 512 (`SaltedSHA-*`: between 8 and 512).
    case invalidSaltLength
    /// The scheme `AES` without a key of 16, 24 or 32 bytes.
    case missingKey
    /// libcrypto has failed for lack of memory.
    case unavailable
}
