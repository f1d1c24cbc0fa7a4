import Bytes
import Crypto
import Model

/// A signed object in compact serialisation (RFC 7515 section 7.1), taken apart and not yet believed.
///
/// Ranges are offsets into the token's text, which the caller keeps.
package struct CompactJWS: Sendable {
    /// The longest token that is looked at, in bytes.
    package static let maximumLength = 16_384

    /// The `alg` of the header; the keys decide whether it may be used.
    package let algorithm: SignatureAlgorithm
    /// The `kid` of the header.
    package let keyID: String?
    /// The `typ` of the header, such as `JWT` or `at+jwt`.
    package let type: String?
    /// The payload, decoded. Evidence of nothing before `verify` has answered.
    package let payload: [UInt8]
    private let signature: [UInt8]
    /// Header, dot and payload as they stand in the token.
    private let signingInput: ByteRange

    /// Takes a token apart: exactly three parts, each strict base64url (RFC 7515 section 5.2, RFC 8725 section 3).
    package init(_ token: Span<UInt8>) throws(TokenRejection) {
        guard token.count <= CompactJWS.maximumLength else { throw .tooLarge }
        let (first, second, count) = CompactJWS.dots(token)
        guard count == 2 || count == 4, let header = Base64.decode(token.extracting(0..<first), .url) else {
            throw .malformed
        }
        (algorithm, keyID, type) = try CompactJWS.read(header: header, hasFiveParts: count == 4)
        guard let payload = Base64.decode(token.extracting(first + 1..<second), .url),
            let signature = Base64.decode(token.extracting(second + 1..<token.count), .url)
        else { throw .malformed }
        self.payload = payload
        self.signature = signature
        signingInput = ByteRange(0..<second)
    }

    /// Checks the signature with a key of the set that accepts the token's algorithm.
    /// - Parameters:
    ///   - token: the text that `init` was given.
    ///   - namesKeys: whether the set's keys have names. Keys of certificates have none, and a `kid` chooses nothing.
    /// - Returns: the key that verified.
    @discardableResult
    package func verify(
        _ token: Span<UInt8>, with keys: KeySet, namesKeys: Bool = true
    ) throws(TokenRejection) -> JSONWebKey {
        let message = token.slice(signingInput)
        for key in try keys.candidates(kid: namesKeys ? keyID : nil, algorithm)
        where key.key.verify(signature.span, of: message, algorithm) {
            return key
        }
        throw .badSignature
    }

    /// What was signed: header and payload as they stand in the token.
    package func signedPart(of token: Span<UInt8>) -> [UInt8] {
        [UInt8](copying: token.slice(signingInput))
    }

    /// Offsets of the first two dots, and how many there are.
    private static func dots(_ token: Span<UInt8>) -> (first: Int, second: Int, count: Int) {
        var count = 0
        var first = 0
        var second = 0
        var i = ByteScan.first(ASCII.dot, in: token, from: 0)
        while i < token.count {
            count += 1
            if count == 1 { first = i } else if count == 2 { second = i }
            i = ByteScan.first(ASCII.dot, in: token, from: i + 1)
        }
        return (first, second, count)
    }

    /// The parameters that matter. `jwk`, `jku`, `x5u` and `x5c` are not looked at: a token never brings its own key
    /// (RFC 8725 section 3.10).
    private static func read(
        header: [UInt8], hasFiveParts: Bool
    ) throws(TokenRejection) -> (SignatureAlgorithm, keyID: String?, type: String?) {
        guard let node = try? JSONNode.parse(header.span, maximumDepth: 8), node.members != nil else {
            throw .malformed
        }
        // Either tells a JWE from a JWS (RFC 7516 section 9).
        if hasFiveParts || node["enc"] != nil { throw .encrypted }
        // No extension is understood, and RFC 7797 wants `b64` listed in `crit`.
        if node["crit"] != nil || node["b64"] != nil { throw .criticalHeader }
        guard let name = node["alg"]?.string else { throw .malformed }
        guard let algorithm = SignatureAlgorithm(named: name) else { throw .unsupportedAlgorithm }
        return try (algorithm, text("kid", node), text("typ", node))
    }

    private static func text(_ name: String, _ header: JSONNode) throws(TokenRejection) -> String? {
        guard let member = header[name] else { return nil }
        guard let text = member.string else { throw .malformed }
        return text
    }
}
