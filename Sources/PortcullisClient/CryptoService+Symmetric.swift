import Bytes
import ClientStore
import Crypto

/// Symmetric encryption (CRYPTO-04).
extension CryptoService {
    /// An encryption algorithm. The length of the key, 16, 24 or 32 bytes, selects the variant of AES.
    public enum Cipher: Sendable, Equatable {
        /// AES in GCM mode (authenticated), for all new data.
        case aesGCM
        /// AES in CBC mode with PKCS #7 padding, for existing data.
        case aesCBC
        /// Triple DES with a key of 24 bytes, in CBC mode, to decrypt only.
        case tripleDES
        /// Single DES, which is broken: never supported.
        case des

        fileprivate func name(keyLength: Int) -> String? {
            switch self {
            case .aesGCM: "AES-\(keyLength * 8)-GCM"
            case .aesCBC: "AES-\(keyLength * 8)-CBC"
            case .tripleDES: "DES-EDE3-CBC"
            case .des: nil
            }
        }
    }

    /// The ciphertext and its key.
    public struct Encrypted: Equatable, Sendable {
        public let output: [UInt8]
        public let key: [UInt8]

        /// The output as text, of the forms with Base64.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// A random key.
    /// - Parameter length: 16, 24 or 32 bytes.
    public func makeSymmetricKey(length: Int) throws(ClientError) -> [UInt8] {
        guard [16, 24, 32].contains(length) else {
            throw ClientError(.invalidArgument, "a key has 16, 24 or 32 bytes")
        }
        return SecureRandom.bytes(length)
    }

    /// Encrypts with a new key, which is returned.
    ///
    /// - Parameter output: `usesBase64`, and `hasPrefix` for the prefix `{AES-256-GCM}`; there is no salt.
    public func encrypt(
        _ data: [UInt8], keyLength: Int, cipher: Cipher = .aesGCM, output: Output = Output()
    ) throws(ClientError) -> Encrypted {
        let key = try makeSymmetricKey(length: keyLength)
        return Encrypted(output: try encrypt(data, key: key, cipher: cipher, output: output), key: key)
    }

    /// Encrypts with a key of 16, 24 or 32 bytes.
    public func encrypt(
        _ data: [UInt8], key: [UInt8], cipher: Cipher = .aesGCM, output: Output = Output()
    ) throws(ClientError) -> [UInt8] {
        guard let name = cipher.name(keyLength: key.count) else {
            throw ClientError(.unsupportedAlgorithm, "unsupported algorithm")
        }
        var bytes = try CryptoService.perform(name, key) { algorithm throws(SymmetricCipher.Failure) in
            try algorithm.seal(data)
        }
        if output.usesBase64 { bytes = Base64.encode(bytes.span) }
        return output.hasPrefix ? Array("{\(name)}".utf8) + bytes : bytes
    }

    /// Decrypts with a key.
    ///
    /// - Parameters:
    ///   - data: the ciphertext in the form of `output`.
    ///   - output: the same as for `encrypt`.
    public func decrypt(
        _ data: [UInt8], key: [UInt8], cipher: Cipher = .aesGCM, output: Output = Output()
    ) throws(ClientError) -> [UInt8] {
        guard let name = cipher.name(keyLength: key.count) else {
            throw ClientError(.unsupportedAlgorithm, "unsupported algorithm")
        }
        var bytes = data[...]
        if output.hasPrefix {
            let prefix = Array("{\(name)}".utf8)
            guard bytes.starts(with: prefix) else {
                throw ClientError(.unsupportedAlgorithm, "unsupported algorithm: the data is not of \(name)")
            }
            bytes = bytes.dropFirst(prefix.count)
        }
        var sealed = Array(bytes)
        if output.usesBase64 {
            guard let decoded = Base64.decode(sealed.span) else {
                throw ClientError(.cannotDecrypt, "the data is not Base64")
            }
            sealed = decoded
        }
        let input = sealed
        return try CryptoService.perform(name, key) { algorithm throws(SymmetricCipher.Failure) in
            try algorithm.open(input)
        }
    }

    private static func perform(
        _ name: String, _ key: [UInt8],
        _ body: (SymmetricCipher) throws(SymmetricCipher.Failure) -> [UInt8]
    ) throws(ClientError) -> [UInt8] {
        do throws(SymmetricCipher.Failure) {
            return try body(try SymmetricCipher(named: name, key: key))
        } catch {
            switch error {
            case .unsupported: throw ClientError(.unsupportedAlgorithm, "unsupported algorithm")
            case .keyLength: throw ClientError(.invalidArgument, "the key has the wrong length")
            case .cannotOpen: throw ClientError(.cannotDecrypt, "the data was changed, or the key is another one")
            }
        }
    }
}
