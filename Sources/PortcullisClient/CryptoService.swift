import Bytes
import ClientStore
import Crypto

/// Password hashes in the format of the mobile client kit (CRYPTO-03).
public struct CryptoService: Sendable {
    /// A hash function by its name in prefixes.
    public enum Algorithm: String, Sendable, CaseIterable {
        case sha1 = "SHA-1"
        case sha224 = "SHA-224"
        case sha256 = "SHA-256"
        case sha384 = "SHA-384"
        case sha512 = "SHA-512"

        fileprivate var digest: DigestAlgorithm {
            switch self {
            case .sha1: .sha1
            case .sha224: .sha224
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            }
        }
    }

    /// The format of a hash.
    public struct Output: Sendable {
        /// Whether the salt follows the hash.
        public var appendsSalt: Bool
        public var usesBase64: Bool
        /// Whether the prefix `{SHA-512}`, or `{SaltedSHA-512}` with a salt, is added; needs Base64.
        public var hasPrefix: Bool

        public init(appendsSalt: Bool = true, usesBase64: Bool = true, hasPrefix: Bool = true) {
            self.appendsSalt = appendsSalt
            self.usesBase64 = usesBase64
            self.hasPrefix = hasPrefix
        }
    }

    /// A hash and its salt.
    public struct Hash: Equatable, Sendable {
        public let output: [UInt8]
        public let salt: [UInt8]

        /// The output as text, of the forms with Base64.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The names of all schemes of stored passwords.
    static let schemes = PasswordScheme.allCases.map(\.rawValue)

    /// Maximum length of salts.
    public static let maximumSaltBits = 512

    public init() {}

    /// A random salt.
    /// - Parameter bits: a multiple of 8 from 8 to 512.
    public func makeSalt(bits: Int) throws(ClientError) -> [UInt8] {
        guard bits % 8 == 0, (8...CryptoService.maximumSaltBits).contains(bits) else {
            throw ClientError(.invalidArgument, "a salt has a multiple of 8 bits, from 8 to 512")
        }
        return SecureRandom.bytes(bits / 8)
    }

    /// The hash with a fresh salt.
    public func hash(
        _ message: [UInt8], saltBits: Int, algorithm: Algorithm, output: Output = Output()
    ) throws(ClientError) -> Hash {
        hash(message, salt: try makeSalt(bits: saltBits), algorithm: algorithm, output: output)
    }

    /// The hash with a given salt, digest(message ‖ salt), or without one.
    public func hash(
        _ message: [UInt8], salt: [UInt8] = [], algorithm: Algorithm, output: Output = Output()
    ) -> Hash {
        let salted = message + salt
        var bytes = algorithm.digest.digest(salted.span)
        if output.appendsSalt { bytes += salt }
        if output.usesBase64 { bytes = Base64.encode(bytes.span) }
        if output.hasPrefix { bytes = Array("{\(salt.isEmpty ? "" : "Salted")\(algorithm.rawValue)}".utf8) + bytes }
        return Hash(output: bytes, salt: salt)
    }

    /// Whether a message matches a stored `{scheme}payload`; false for an unknown or missing scheme.
    public func verify(_ message: [UInt8], stored: String) -> Bool {
        PasswordHasher().verify(message.span, stored: stored)
    }
}
