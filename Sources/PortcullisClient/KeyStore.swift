import Bytes
import ClientStore
import Crypto
import Model
import Reactor

/// Key pairs in files, in a directory that only their owner can access (CRYPTO-05).
public struct KeyStore: Sendable {
    /// Kind of a key pair.
    public enum Kind: String, Sendable, CaseIterable {
        /// RSA with 3072 bits: signs by RS256, wraps and unwraps.
        case rsa
        /// EC on the curve P-256: signs by ES256.
        case ec
    }

    public let directory: String

    public init(directory: String) { self.directory = directory }

    /// Generates a key pair. An existing one of the name is kept.
    public func generate(_ name: String, kind: Kind = .ec) throws(ClientError) {
        let path = try path(name)
        let pem = try KeyStore.checked("the new key") { () throws(KeyError) in
            try SigningKey(generating: kind == .rsa ? .rs256 : .es256).pem
        }
        try CredentialStore.makeDirectory(directory)
        let isNew: Bool
        do throws(KernelError) {
            let draft = try AtomicFile(of: path)
            try draft.write(Array(pem.utf8))
            isNew = try draft.place()
        } catch {
            throw ClientError(.storeFailed, "\(path) cannot be written: \(error.text)")
        }
        guard isNew else { throw ClientError(.invalidArgument, "there is a key \"\(name)\" already") }
    }

    /// The public part, in PEM form.
    public func publicKey(_ name: String) throws(ClientError) -> String {
        let text = try pem(name)
        return try KeyStore.checked("the key \"\(name)\"") { () throws(KeyError) in
            try KeyPair.publicPEM(ofPrivate: text)
        }
    }

    /// The signature of a message: of an EC key r and s side by side, of an RSA key by PKCS #1.
    public func sign(_ message: [UInt8], with name: String) throws(ClientError) -> [UInt8] {
        let text = try pem(name)
        let key = try KeyStore.checked("the key \"\(name)\"") { () throws(KeyError) in
            try SigningKey(pem: text, algorithm: try KeyPair.isRSA(text) ? .rs256 : .es256)
        }
        return key.sign(message.span)
    }

    /// Verifies a signature with a public key in PEM form.
    public static func verify(
        _ signature: [UInt8], of message: [UInt8], publicKey pem: String
    ) throws(ClientError) -> Bool {
        let key = try checked("the public key") { () throws(KeyError) in try VerificationKey(pem: pem) }
        guard let algorithm = [SignatureAlgorithm.es256, .rs256].first(where: key.supports) else {
            throw ClientError(.unsupportedAlgorithm, "unsupported algorithm: the key is neither RSA nor EC on P-256")
        }
        return key.verify(signature.span, of: message.span, algorithm)
    }

    /// Encrypts a short secret with an RSA key (RSAES-OAEP with SHA-256).
    public static func wrap(_ secret: [UInt8], publicKey pem: String) throws(ClientError) -> [UInt8] {
        let key = try checked("the public key") { () throws(KeyError) in try KeyWrapping(pem: pem) }
        do throws(KeyWrapping.Failure) { return try key.wrap(secret) } catch { throw failed(error, key.maximumLength) }
    }

    /// Decrypts a wrapped secret.
    public func unwrap(_ wrapped: [UInt8], with name: String) throws(ClientError) -> [UInt8] {
        let text = try pem(name)
        let key = try KeyStore.checked("the key \"\(name)\"") { () throws(KeyError) in try KeyWrapping(pem: text) }
        do throws(KeyWrapping.Failure) { return try key.unwrap(wrapped) } catch {
            throw KeyStore.failed(error, key.maximumLength)
        }
    }

    /// Removes a key pair. Secrets wrapped for it are lost.
    public func delete(_ name: String) throws(ClientError) {
        let path = try path(name)
        _ = try pem(name)
        do throws(KernelError) { try FileSystem.remove(path) } catch {
            throw ClientError(.storeFailed, "\(path) cannot be removed: \(error.text)")
        }
    }

    private func path(_ name: String) throws(ClientError) -> String {
        let isName =
            (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_.".utf8.contains($0) }
        guard isName else {
            throw ClientError(.invalidArgument, "a key's name has up to 64 letters, digits, - _ . and no dot in front")
        }
        return "\(directory)/\(name).pem"
    }

    private func pem(_ name: String) throws(ClientError) -> String {
        guard let contents = try? FileSystem.read(try path(name)) else {
            throw ClientError(.unknownKey, "there is no key \"\(name)\" in \(directory)")
        }
        return String(decoding: contents, as: UTF8.self)
    }

    private static func checked<Value>(
        _ noun: String, _ body: () throws(KeyError) -> Value
    ) throws(ClientError) -> Value {
        do throws(KeyError) { return try body() } catch {
            throw ClientError(.unsupportedAlgorithm, "\(noun) cannot be used for this: \(error.reason)")
        }
    }

    private static func failed(_ failure: KeyWrapping.Failure, _ maximum: Int) -> ClientError {
        switch failure {
        case .unsupportedKey: ClientError(.unsupportedAlgorithm, "unsupported algorithm: keys are wrapped by RSA only")
        case .tooLong: ClientError(.invalidArgument, "the secret is longer than \(maximum) bytes")
        case .cannotUnwrap: ClientError(.cannotDecrypt, "it was changed, or wrapped for another key")
        }
    }
}
