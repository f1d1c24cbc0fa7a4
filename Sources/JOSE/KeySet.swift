import Bytes
import Crypto
import Model

/// The keys of one issuer (RFC 7517 section 5), read and checked once.
package struct KeySet: Sendable {
    /// What a set may hold. One that held both would invite taking a public key for a secret (RFC 8725 section 2.1).
    package enum Content: Sendable {
        case publicKeys
        /// Symmetric keys, for tokens that one party both makes and reads.
        case secrets
    }

    /// A key that was read and is of no use here.
    package struct IgnoredKey: Equatable, Sendable {
        /// Place in the array `keys`.
        package var index: Int
        /// Why, in words.
        package var reason: String
    }

    /// How many keys a set may have.
    package static let maximumCount = 256
    /// How many keys are tried for a token that names none.
    package static let maximumTries = 8

    package let keys: [JSONWebKey]
    /// Keys for encryption, of unknown types and so on: RFC 7517 wants them passed over.
    package let ignored: [IgnoredKey]

    package init(keys: [JSONWebKey]) {
        self.keys = keys
        ignored = []
    }

    /// Reads a JWK set. A key that is weak, malformed, private or of the wrong content spoils the whole set, lest
    /// somebody believe that it is in use; so does a set without a key that can verify.
    package init(jwks: Span<UInt8>, _ content: Content = .publicKeys) throws(KeySetError) {
        try self.init(jwks, content, passingOverBadKeys: false)
    }

    /// Reads a set that others publish: a key that is of no use is passed over, since RFC 7517 section 5 wants one odd
    /// key not to take the others with it. A private key is not used even if its public half could be.
    package init(published jwks: Span<UInt8>) throws(KeySetError) {
        try self.init(jwks, .publicKeys, passingOverBadKeys: true)
    }

    private init(_ jwks: Span<UInt8>, _ content: Content, passingOverBadKeys: Bool) throws(KeySetError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode.parse(jwks, maximumDepth: 16)
        } catch {
            throw KeySetError(.notJSON(error))
        }
        guard let nodes = root["keys"]?.array else { throw KeySetError(.noKeyArray) }
        guard nodes.count <= KeySet.maximumCount else { throw KeySetError(.tooManyKeys) }
        var keys: [JSONWebKey] = []
        var ignored: [IgnoredKey] = []
        for (index, node) in nodes.enumerated() {
            do throws(KeySetError.Reason) {
                switch try JSONWebKey.read(node, content) {
                case .ignored(let reason): ignored.append(IgnoredKey(index: index, reason: reason))
                case .key(let key):
                    if keys.contains(where: { $0.clashes(with: key) }) { throw .duplicateKeyID }
                    keys.append(key)
                }
            } catch {
                let problem = KeySetError(error, keyIndex: index, offset: node.offset)
                guard passingOverBadKeys else { throw problem }
                ignored.append(IgnoredKey(index: index, reason: problem.description))
            }
        }
        guard !keys.isEmpty else { throw KeySetError(.noUsableKey) }
        self.keys = keys
        self.ignored = ignored
    }

    /// The set as published: the public keys, without any secret.
    package func jwks() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { key.writePublic(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Whether a key is there that a token of this kind could be signed with.
    package func meets(_ need: KeyNeed) -> Bool { (try? candidates(kid: need.keyID, need.algorithm)) != nil }

    /// Whether a key has this name.
    package func hasKey(named keyID: String) -> Bool { keys.contains { $0.kid?.isExactly(keyID) ?? false } }

    /// Whether all keys of another set are in this one, as they are.
    package func includes(_ other: KeySet) -> Bool {
        other.keys.allSatisfy { key in keys.contains { $0.isSame(as: key) } }
    }

    /// The keys that may have signed a token: those of its `kid`, and no others where it names one (JWT-39); else all
    /// that fit the algorithm, up to `maximumTries`.
    func candidates(kid: String?, _ algorithm: SignatureAlgorithm) throws(TokenRejection) -> [JSONWebKey] {
        guard let kid else {
            let fitting = keys.lazy.filter { $0.accepts(algorithm) }.prefix(KeySet.maximumTries)
            guard !fitting.isEmpty else { throw .unknownKey }
            return Array(fitting)
        }
        var isNamed = false
        var fitting: [JSONWebKey] = []
        for key in keys where key.kid?.isExactly(kid) ?? false {
            isNamed = true
            if key.accepts(algorithm) { fitting.append(key) }
        }
        guard isNamed else { throw .unknownKey }
        guard !fitting.isEmpty else { throw .algorithmMismatch }
        return fitting
    }
}

extension JSONWebKey {
    /// Whether the keys are one public key under one name, for the same algorithm.
    fileprivate func isSame(as other: JSONWebKey) -> Bool {
        let isNamedAlike =
            switch (kid, other.kid) {
            case (let kid?, let otherKid?): kid.isExactly(otherKid)
            case (nil, nil): true
            default: false
            }
        return isNamedAlike && algorithm == other.algorithm && key.publicKey != nil
            && key.publicKey == other.key.publicKey
    }

    /// Whether a token's `kid` and `alg` could mean either key. One `kid` for keys of different types is allowed
    /// (RFC 7517 section 4.5).
    fileprivate func clashes(with other: JSONWebKey) -> Bool {
        guard let kid, let otherKid = other.kid, kid.isExactly(otherKid) else { return false }
        return SignatureAlgorithm.allCases.contains { accepts($0) && other.accepts($0) }
    }
}

/// Why a key set cannot be used.
package struct KeySetError: Error, Equatable, CustomStringConvertible {
    package enum Reason: Error, Equatable, Sendable {
        case notJSON(JSONError)
        case noKeyArray
        case tooManyKeys
        /// No key of the set can verify a signature.
        case noUsableKey
        case notAnObject
        case missing(String)
        case malformed(String)
        /// A symmetric key in a set of public keys.
        case secret
        /// A public key in a set of secrets.
        case notASecret
        /// The private half of a key, which does not belong in a key set.
        case privateKey
        /// A `kid` and algorithm that an earlier key has already.
        case duplicateKeyID
        case key(KeyError)
    }

    package let reason: Reason
    /// Place of the key in the array `keys`; nil where the set as a whole is wrong.
    package let keyIndex: Int?
    /// Offset in bytes from the start of the text.
    package let offset: Int

    init(_ reason: Reason, keyIndex: Int? = nil, offset: Int = 0) {
        self.reason = reason
        self.keyIndex = keyIndex
        if case .notJSON(let error) = reason { self.offset = error.offset } else { self.offset = offset }
    }

    /// The reason in words, with the key's place.
    package var description: String {
        let subject = keyIndex.map { "key \($0)" } ?? "the key set"
        switch reason {
        case .notJSON(let error): return "\(subject) is not JSON: \(error)"
        case .noKeyArray: return "\(subject) has no array 'keys'"
        case .tooManyKeys: return "\(subject) has more than \(KeySet.maximumCount) keys"
        case .noUsableKey: return "\(subject) has no key that can verify a signature"
        case .notAnObject: return "\(subject) is not an object"
        case .missing(let name): return "\(subject) has no member '\(name)'"
        case .malformed(let name): return "\(subject) has a malformed member '\(name)'"
        case .secret: return "\(subject) is symmetric, which a public key set must not have"
        case .notASecret: return "\(subject) is not symmetric"
        case .privateKey: return "\(subject) is a private key: remove it, publish the public part, make a new key"
        case .duplicateKeyID: return "\(subject) has the 'kid' of an earlier key"
        case .key(let error): return "\(subject) cannot be used: \(error.reason)"
        }
    }
}
