import Bytes
import Crypto
import Declaration
import JOSE
import Model
import Reactor

/// An unreadable or unwritable key file.
struct KeyFileError: Error {
    let message: String
    /// Whether another attempt may succeed, since the store has not answered.
    var isTransient = false
}

/// Keys in files of their own: read if they exist, else created with mode 0600, so that the first start needs no
/// preparation.
enum KeyFile {
    /// The signing key of a PEM file.
    static func signingKey(at path: String, algorithm: SignatureAlgorithm) throws(KeyFileError) -> SigningKey {
        if let key = try existingSigningKey(at: path, algorithm: algorithm) { return key }
        try write(Array(try generate(algorithm).pem.utf8), to: path)
        return try signingKey(at: path, algorithm: algorithm)
    }

    /// A new key whose id does not begin with a dash, so that a command does not take it for an option.
    static func generate(_ algorithm: SignatureAlgorithm) throws(KeyFileError) -> SigningKey {
        do throws(KeyError) {
            while true {
                let key = try SigningKey(generating: algorithm)
                if JSONWebKey(key, kid: nil).thumbprint?.hasPrefix("-") != true { return key }
            }
        } catch {
            throw KeyFileError(message: "libcrypto makes no key for \(algorithm.rawValue): \(error.reason)")
        }
    }

    /// The signing key of a PEM file; nil if there is no file.
    static func existingSigningKey(
        at path: String, algorithm: SignatureAlgorithm
    ) throws(KeyFileError) -> SigningKey? {
        guard let text = try read(path) else { return nil }
        do throws(KeyError) {
            return try SigningKey(pem: String(decoding: text, as: UTF8.self), algorithm: algorithm)
        } catch {
            throw KeyFileError(message: "\(path) holds no key for \(algorithm.rawValue): \(error.reason)")
        }
    }

    /// The keys of a file that holds 32 bytes as Base64 on each line, one at least.
    static func symmetricKeys(at path: String) throws(KeyFileError) -> [[UInt8]] {
        if let text = try read(path) {
            let lines = text.split(separator: ASCII.lineFeed).map { line in line.filter { $0 > ASCII.space } }
            let keys = lines.filter { !$0.isEmpty }.map { Base64.decode($0.span) ?? [] }
            guard !keys.isEmpty, keys.allSatisfy({ $0.count == 32 }) else {
                throw KeyFileError(message: "\(path) does not hold 32 bytes as Base64")
            }
            return keys
        }
        try write(Base64.encode(SecureRandom.bytes(32).span) + [ASCII.lineFeed], to: path)
        return try symmetricKeys(at: path)
    }

    /// The text of a file; nil if there is none.
    static func read(_ path: String) throws(KeyFileError) -> [UInt8]? {
        guard FileSystem.exists(path) else { return nil }
        do throws(UnreadableFile) {
            return try FileText.read(path)
        } catch {
            throw KeyFileError(message: error.text)
        }
    }

    /// Creates a missing file with mode 0600: a database gives its other files the same mode.
    static func makePrivate(_ path: String) throws(KeyFileError) {
        if !FileSystem.exists(path) { try write([], to: path) }
    }

    /// Makes a directory for its owner only where it is missing.
    static func makeDirectory(_ path: String) throws(KeyFileError) {
        do throws(KernelError) {
            try FileSystem.makeDirectory(path, mode: 0o700)
        } catch {
            throw KeyFileError(message: "\(path) cannot be made: \(error.text)")
        }
    }

    /// Writes a file with mode 0600 in place of another, under a lock.
    /// - Parameter other: a file whose owner is to have this one too, since a command may run as another user than the gateway.
    static func replace(_ path: String, with text: [UInt8], likeOwnerOf other: String? = nil) throws(KeyFileError) {
        let status = other.flatMap { try? FileStatus($0) }
        do throws(KernelError) {
            AtomicFile.removeLeftover(of: path)
            let draft = try AtomicFile(of: path)
            try draft.write(text)
            if let status { try draft.hand(to: status.owner, group: status.group, mode: 0o600) }
            try draft.replace()
        } catch {
            throw KeyFileError(message: "\(path) cannot be written: \(error.text)")
        }
    }

    /// Writes a draft and links it into place: no reader sees half a key, and of two concurrent starts one wins.
    private static func write(_ bytes: [UInt8], to path: String) throws(KeyFileError) {
        try makeDirectory(FilePath.directory(of: path))
        do throws(KernelError) {
            AtomicFile.removeLeftover(of: path)
            let draft = try AtomicFile(of: path)
            try draft.write(bytes)
            // A key that another process has created meanwhile stays; the caller reads it.
            _ = try draft.place()
        } catch {
            throw KeyFileError(message: "\(path) cannot be written: \(error.text)")
        }
    }
}
