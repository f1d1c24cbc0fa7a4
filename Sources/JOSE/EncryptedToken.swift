import Bytes
import Crypto

/// A parsed JWE in compact serialisation (RFC 7516 section 7.1), whose content is a signed token.
///
/// Accepts RSA-OAEP-256, ECDH-ES and ECDH-ES+A256KW with A256GCM. Compressed content is refused, since its size is
/// unknown before it is decompressed.
struct EncryptedToken {
    private enum KeyManagement: String {
        case wrapping = "RSA-OAEP-256"
        case agreement = "ECDH-ES"
        case agreementAndWrapping = "ECDH-ES+A256KW"
    }

    /// Limit of the header in bytes, encoded.
    private static let maximumHeader = 4096
    /// Limit of keys that are tried for a token.
    static let maximumTries = 4
    /// The same of RSA, whose private operation takes milliseconds: one key that goes and one that comes.
    static let maximumTriesOfRSA = 2

    /// The `kid` of the header.
    private let keyID: String?
    /// The `iss` of the header (RFC 7519 section 5.3), which is not authenticated before decryption.
    let issuer: String?
    private let management: KeyManagement
    private let ephemeral: EphemeralKey?
    /// `apu` and `apv`.
    private let parties: [[UInt8]]
    private let wrappedKey: [UInt8]
    /// Initialisation vector, ciphertext and tag.
    private let sealed: [UInt8]
    /// The encoded header, which the tag covers.
    private let encodedHeader: [UInt8]

    init(_ token: Span<UInt8>) throws(TokenRejection) {
        guard token.count <= CompactJWS.maximumLength else { throw .tooLarge }
        let parts = [UInt8](copying: token).split(separator: ASCII.dot, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].count <= EncryptedToken.maximumHeader else { throw .undecryptable }
        encodedHeader = Array(parts[0])
        wrappedKey = try EncryptedToken.decoded(Array(parts[1]))
        let (vector, tag) = (try EncryptedToken.decoded(Array(parts[2])), try EncryptedToken.decoded(Array(parts[4])))
        // Other lengths would move bytes between the three.
        guard vector.count == 12, tag.count == 16 else { throw .undecryptable }
        sealed = vector + (try EncryptedToken.decoded(Array(parts[3]))) + tag
        let json = try EncryptedToken.decoded(encodedHeader)
        guard let node = try? JSONNode.parse(json.span, maximumDepth: 8), node.members != nil else {
            throw .undecryptable
        }
        if node["crit"] != nil || node["zip"] != nil { throw .criticalHeader }
        guard let management = node["alg"]?.string.flatMap(KeyManagement.init(rawValue:)),
            node["enc"]?.string == "A256GCM"
        else { throw .unsupportedAlgorithm }
        self.management = management
        keyID = try EncryptedToken.text("kid", node)
        issuer = try EncryptedToken.text("iss", node)
        if let type = try EncryptedToken.text("cty", node), type.lowercased() != "jwt" { throw .unsigned }
        guard management != .wrapping else {
            (ephemeral, parties) = (nil, [])
            return
        }
        guard let key = node["epk"].flatMap(EphemeralKey.init) else { throw .undecryptable }
        ephemeral = key
        var parties: [[UInt8]] = []
        for name in ["apu", "apv"] {
            let text = try EncryptedToken.text(name, node) ?? ""
            parties.append(try EncryptedToken.decoded(Array(text.utf8)))
        }
        self.parties = parties
    }

    /// The content and the key that decrypted it.
    ///
    /// - Parameter keys: those of the issuers that may have sent the token; the first ones that fit are tried.
    /// - Throws: the same rejection for every failure, so that answers tell nothing about chosen ciphertexts.
    func opened(with keys: [DecryptionKey]) throws(TokenRejection) -> (content: [UInt8], key: DecryptionKey) {
        let limit = management == .wrapping ? EncryptedToken.maximumTriesOfRSA : EncryptedToken.maximumTries
        for key in keys.lazy.filter(mayOpen).prefix(limit) {
            if let cipher = AEADKey(contentKey(for: key.key).span),
                let content = cipher.open(sealed.span, authenticating: encodedHeader.span)
            {
                return (content, key)
            }
        }
        throw .undecryptable
    }

    private func mayOpen(_ key: DecryptionKey) -> Bool {
        // A key without a name was given to the issuer without one.
        if let keyID, let name = key.keyID, !name.isExactly(keyID) { return false }
        return key.key.curve == ephemeral?.curveName
    }

    /// The content encryption key of 32 bytes: a random one where it cannot be recovered, so that this takes as long as a
    /// wrong tag and ends in the same way (RFC 7516 section 11.5). That libcrypto takes constant time for the padding of
    /// OAEP closes the rest of Manger's attack (RFC 8017 section 7.1.2).
    private func contentKey(for key: RecipientKey) -> [UInt8] {
        let recovered: [UInt8]? =
            switch management {
            case .wrapping: key.unwrap(wrappedKey)
            // RFC 7518 section 4.6: the encrypted key is empty.
            case .agreement: wrappedKey.isEmpty ? derivedKey(key, "A256GCM") : nil
            case .agreementAndWrapping:
                derivedKey(key, management.rawValue).flatMap { AESKeyWrap.unwrap(wrappedKey, with: $0) }
            }
        guard let recovered, recovered.count == 32 else { return SecureRandom.bytes(32) }
        return recovered
    }

    private func derivedKey(_ key: RecipientKey, _ algorithm: String) -> [UInt8]? {
        guard let ephemeral, let secret = key.sharedSecret(x: ephemeral.coordinateX, y: ephemeral.coordinateY) else {
            return nil
        }
        return ConcatKDF.key(secret, for: algorithm, parties, bits: 256)
    }

    private static func decoded(_ text: [UInt8]) throws(TokenRejection) -> [UInt8] {
        guard let bytes = Base64.decode(text.span, .url) else { throw .undecryptable }
        return bytes
    }

    private static func text(_ name: String, _ header: JSONNode) throws(TokenRejection) -> String? {
        guard let member = header[name] else { return nil }
        guard let text = member.string else { throw .undecryptable }
        return text
    }
}

/// The sender's public key of one token (`epk`, RFC 7518 section 4.6.1.1). Whether it is on the curve is checked with its
/// use.
private struct EphemeralKey {
    let curveName: String
    let coordinateX: [UInt8]
    /// Empty for X25519.
    let coordinateY: [UInt8]

    init?(_ node: JSONNode) {
        guard let curve = node["crv"]?.string, node["d"] == nil, let x = EphemeralKey.decodedMember(node["x"]) else {
            return nil
        }
        curveName = curve
        coordinateX = x
        switch node["kty"]?.string {
        case "EC":
            guard let y = EphemeralKey.decodedMember(node["y"]), !y.isEmpty else { return nil }
            coordinateY = y
        case "OKP": coordinateY = []
        default: return nil
        }
    }

    private static func decodedMember(_ node: JSONNode?) -> [UInt8]? {
        guard let text = node?.string.map({ Array($0.utf8) }) else { return nil }
        return Base64.decode(text.span, .url)
    }
}
