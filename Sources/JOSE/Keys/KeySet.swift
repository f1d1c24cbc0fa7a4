import Bytes
import Crypto
import Model

/// The checked keys of one issuer (RFC 7517 section 5).
package struct KeySet: Sendable {
    /// The kind of keys of a set. A mixed set would allow a public key to be used as a secret (RFC 8725 section 2.1).
    package enum Content: Sendable {
        case publicKeys
        /// Symmetric keys, for tokens that the same party issues and verifies.
        case secrets
    }

    /// A key that is ignored.
    package struct IgnoredKey: Equatable, Sendable {
        /// Index in the array `keys`.
        package var index: Int
        /// The reason.
        package var reason: String
    }

    /// Limit of keys in a set.
    package static let maximumCount = 256
    /// Limit of keys that are tried for a token without `kid`.
    package static let maximumTries = 8

    package let keys: [JSONWebKey]
    /// Keys for encryption, of unknown types and the like, which RFC 7517 requires to ignore.
    package let ignored: [IgnoredKey]
    /// Whether a `kid` selects the key. Keys in PEM form have no names, so that it is ignored for them.
    private let hasNames: Bool

    /// - Parameter hasNames: false for keys without names, one of which has signed a token with any `kid`.
    package init(keys: [JSONWebKey], hasNames: Bool = true) {
        self.keys = keys
        self.hasNames = hasNames
        ignored = []
    }

    /// Reads a configured JWK set. A weak, malformed, private or otherwise wrong key is an error of the whole set, so
    /// that it is not silently unused; so is a set without usable keys.
    package init(jwks: Span<UInt8>, _ content: Content = .publicKeys) throws(KeySetError) {
        try self.init(jwks, content, passingOverBadKeys: false)
    }

    /// Reads a published set: unusable keys are ignored (RFC 7517 section 5). A private key is not used, even if its
    /// public half could be.
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
        hasNames = true
    }

    /// The set for publication: the public keys without secrets.
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

    /// Whether a key may have signed a token of this `kid` and algorithm.
    package func meets(_ need: KeyNeed) -> Bool { (try? candidates(kid: need.keyID, need.algorithm)) != nil }

    /// Whether a key has this name.
    package func hasKey(named keyID: String) -> Bool { keys.contains { $0.kid?.isExactly(keyID) ?? false } }

    /// Whether this set contains all keys of another one unchanged.
    package func includes(_ other: KeySet) -> Bool {
        other.keys.allSatisfy { key in keys.contains { $0.isSame(as: key) } }
    }

    /// The keys that may have signed a token: only those of its `kid` (JWT-39), or without one all that match the
    /// algorithm, up to `maximumTries`.
    func candidates(kid: String?, _ algorithm: SignatureAlgorithm) throws(TokenRejection) -> [JSONWebKey] {
        guard let kid, hasNames else {
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
    /// Whether the keys are the same public key with the same name and algorithm.
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

    /// Whether `kid` and `alg` of a token are ambiguous for the two keys. Keys of different types may share a `kid`
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
        /// Neither JSON nor PEM.
        case otherForm(isDER: Bool)
        /// More keys in PEM form than are tried for a token.
        case tooManyUnnamed
        /// No key of the set can verify a signature.
        case noUsableKey
        case notAnObject
        case missing(String)
        case malformed(String)
        /// A symmetric key in a set of public keys.
        case secret
        /// A public key in a set of secrets.
        case notASecret
        /// A private key.
        case privateKey
        /// A PEM block of another kind than a public key or certificate, with its label.
        case otherBlock(String)
        case certificate(CertificateProblem)
        /// The `kid` and algorithm of an earlier key.
        case duplicateKeyID
        case key(KeyError)
    }

    package let reason: Reason
    /// Index of the key in the array `keys`; nil for an error of the whole set.
    package let keyIndex: Int?
    /// Offset in bytes from the start of the text.
    package let offset: Int

    init(_ reason: Reason, keyIndex: Int? = nil, offset: Int = 0) {
        self.reason = reason
        self.keyIndex = keyIndex
        if case .notJSON(let error) = reason { self.offset = error.offset } else { self.offset = offset }
    }

    /// The error message, with the index of the key.
    package var description: String {
        let subject = keyIndex.map { "key \($0)" } ?? "the key set"
        switch reason {
        case .notJSON(let error): return "\(subject) is not JSON: \(error)"
        case .otherForm(let isDER):
            let cure =
                "`openssl x509 -inform der` converts a certificate, `openssl pkey -pubin -inform der` a public key"
            return "neither a JWK set nor PEM" + (isDER ? "; it looks like DER: \(cure)" : "")
        case .noKeyArray: return "\(subject) has no array 'keys'"
        case .tooManyKeys: return "\(subject) has more than \(KeySet.maximumCount) keys"
        case .tooManyUnnamed:
            return "\(subject) has more than \(KeySet.maximumTries) keys in PEM form; a JWK set gives them names"
        case .noUsableKey: return "\(subject) has no key that can verify a signature"
        case .notAnObject: return "\(subject) is not an object"
        case .missing(let name): return "\(subject) has no member '\(name)'"
        case .malformed(let name): return "\(subject) has a malformed member '\(name)'"
        case .secret: return "\(subject) is symmetric, which a public key set must not have"
        case .notASecret: return "\(subject) is not symmetric"
        case .privateKey: return "\(subject) is a private key: remove it, publish the public part, make a new key"
        case .otherBlock(let label):
            let cure = KeySetError.conversions[label].map { ": `\($0)` converts it" } ?? ""
            return "\(subject) is a block \"\(label)\"; \"PUBLIC KEY\" and \"CERTIFICATE\" are read\(cure)"
        case .certificate(let problem): return "\(subject) cannot be used: \(problem.description)"
        case .duplicateKeyID: return "\(subject) has the 'kid' of an earlier key"
        case .key(let error): return "\(subject) cannot be used: \(error.reason)"
        }
    }

    /// Commands that convert a PEM block, by its label.
    private static let conversions = [
        "RSA PUBLIC KEY": "openssl rsa -RSAPublicKey_in -in FILE -pubout",
        "TRUSTED CERTIFICATE": "openssl x509 -in FILE",
        "PKCS7": "openssl pkcs7 -print_certs -in FILE",
    ]
}
