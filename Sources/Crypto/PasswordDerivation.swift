import Bytes
import COpenSSL

/// The parameters of a slow password hash, and the hash under them.
enum PasswordDerivation: Equatable, Sendable {
    /// Memory and time of scrypt (RFC 7914 section 2): cost 2^`logCost`, block size and parallelisation.
    case scrypt(logCost: Int, blockSize: Int, parallelisation: Int)
    /// Rounds of PBKDF2 with HMAC-SHA-512 (RFC 8018 section 5.2).
    case pbkdf2(iterations: Int)

    /// Parameters of new passwords (DEC-08).
    static let defaultScrypt = PasswordDerivation.scrypt(logCost: 15, blockSize: 8, parallelisation: 1)
    static let defaultPBKDF2 = PasswordDerivation.pbkdf2(iterations: 210_000)

    /// Length of a new hash in bytes.
    static let hashLength = 32

    /// Limit of scrypt's memory in bytes, and of the memory that all its passes access.
    private static let maximumMemory = 256 << 20
    private static let maximumWork = 1 << 30
    private static let maximumIterations = 5_000_000

    /// Parses a stored payload of parameters, salt and hash; nil if it is malformed or exceeds the cost limits, so that
    /// an entry of a user file cannot stop the gateway.
    static func parse(_ payload: [UInt8], _ scheme: PasswordScheme) -> (Self, salt: [UInt8], hash: [UInt8])? {
        let parts = payload.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let derivation = parse(parameters: parts[0], scheme),
            let salt = Base64.decode(Array(parts[1]).span), (1...64).contains(salt.count),
            let hash = Base64.decode(Array(parts[2]).span), (16...64).contains(hash.count)
        else { return nil }
        return (derivation, salt, hash)
    }

    private static func parse(parameters: ArraySlice<UInt8>, _ scheme: PasswordScheme) -> Self? {
        let names = scheme == .scrypt ? ["ln", "r", "p"] : ["i"]
        let fields = parameters.split(separator: ASCII.comma, omittingEmptySubsequences: false)
        guard fields.count == names.count else { return nil }
        var values: [Int] = []
        for (field, name) in zip(fields, names) {
            let prefix = Array("\(name)=".utf8)
            guard field.starts(with: prefix) else { return nil }
            let digits = Array(field.dropFirst(prefix.count))
            guard digits.first != UInt8(ascii: "0"), let value = Decimal.parse(digits.span) else { return nil }
            values.append(value)
        }
        let derivation =
            scheme == .scrypt
            ? PasswordDerivation.scrypt(logCost: values[0], blockSize: values[1], parallelisation: values[2])
            : .pbkdf2(iterations: values[0])
        return derivation.isBounded ? derivation : nil
    }

    private var isBounded: Bool {
        switch self {
        case .scrypt(let logCost, let blockSize, let parallelisation):
            guard (1...20).contains(logCost), (1...32).contains(blockSize), (1...16).contains(parallelisation) else {
                return false
            }
            let memory = 128 * blockSize << logCost
            return memory <= Self.maximumMemory && memory * parallelisation <= Self.maximumWork
        case .pbkdf2(let iterations):
            return (1...Self.maximumIterations).contains(iterations)
        }
    }

    /// The parameters before the first `$`.
    var parameters: String {
        switch self {
        case .scrypt(let logCost, let blockSize, let parallelisation):
            "ln=\(logCost),r=\(blockSize),p=\(parallelisation)"
        case .pbkdf2(let iterations): "i=\(iterations)"
        }
    }

    /// The hash of a password: tens of milliseconds under the default parameters.
    func hash(_ password: Span<UInt8>, salt: Span<UInt8>, length: Int) -> [UInt8]? {
        let hash = unsafe [UInt8].filled(capacity: length) { out in
            // SAFETY: libcrypto writes `length` bytes to `out` and reads the spans during the call only.
            unsafe password.withBytes { text, count in
                unsafe salt.withBytes { saltStart, saltCount in
                    unsafe derive(text, count, saltStart, saltCount, out, length) == 1 ? length : -1
                }
            }
        }
        if hash == nil { OpenSSLLibrary.clearErrors() }
        return hash
    }

    private func derive(
        _ password: UnsafePointer<UInt8>, _ count: Int, _ salt: UnsafePointer<UInt8>, _ saltCount: Int,
        _ out: UnsafeMutablePointer<UInt8>, _ length: Int
    ) -> Int32 {
        let characters = unsafe UnsafeRawPointer(password).assumingMemoryBound(to: CChar.self)
        switch self {
        case .scrypt(let logCost, let blockSize, let parallelisation):
            // libcrypto's own limit includes its overhead.
            return unsafe EVP_PBE_scrypt(
                characters, count, salt, saltCount, 1 << UInt64(logCost), UInt64(blockSize), UInt64(parallelisation),
                UInt64(Self.maximumMemory + (4 << 20)), out, length
            )
        case .pbkdf2(let iterations):
            return unsafe PKCS5_PBKDF2_HMAC(
                characters, Int32(count), salt, Int32(saltCount), Int32(iterations), DigestAlgorithm.sha512.method,
                Int32(length), out
            )
        }
    }
}
