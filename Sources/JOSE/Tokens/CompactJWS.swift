import Bytes
import Crypto
import Model

/// A parsed, unverified JWS in compact serialisation (RFC 7515 section 7.1).
///
/// Ranges are offsets into the text of the token, which the caller keeps.
package struct CompactJWS: Sendable {
    /// Maximum length of a token in bytes: that of the largest head of a request (`limits.maxHeaderBytes`).
    package static let maximumLength = 65_536

    /// The `alg` of the header; the keys decide whether it may be used.
    package let algorithm: SignatureAlgorithm
    /// The `kid` of the header.
    package let keyID: String?
    /// The `typ` of the header, such as `JWT` or `at+jwt`.
    package let type: String?
    /// The decoded payload; untrusted until `verify` succeeds.
    package let payload: [UInt8]
    private let signature: [UInt8]
    /// The signing input: header, dot and payload of the token.
    private let signingInput: ByteRange

    /// Parses a token: exactly three parts of strict base64url (RFC 7515 section 5.2, RFC 8725 section 3).
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
    /// - Parameter token: the text that was passed to `init`.
    /// - Returns: the key that verified.
    @discardableResult
    package func verify(_ token: Span<UInt8>, with keys: KeySet) throws(TokenRejection) -> JSONWebKey {
        let message = token.slice(signingInput)
        for key in try keys.candidates(kid: keyID, algorithm)
        where key.key.verify(signature.span, of: message, algorithm) {
            return key
        }
        throw .badSignature
    }

    /// The signing input: header and payload of the token.
    package func signedPart(of token: Span<UInt8>) -> [UInt8] {
        [UInt8](copying: token.slice(signingInput))
    }

    /// Offsets of the first two dots, and the number of dots.
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

    /// The relevant parameters. `jwk`, `jku`, `x5u` and `x5c` are ignored, since a token must not bring its own key
    /// (RFC 8725 section 3.10); `SignerAuthorities` reads a chain whose authorities are configured.
    private static func read(
        header: [UInt8], hasFiveParts: Bool
    ) throws(TokenRejection) -> (SignatureAlgorithm, keyID: String?, type: String?) {
        guard let node = try? JSONNode.parse(header.span, maximumDepth: 8), node.members != nil else {
            throw .malformed
        }
        // Either distinguishes a JWE from a JWS (RFC 7516 section 9).
        if hasFiveParts || node["enc"] != nil { throw .encrypted }
        // No extension is supported, and RFC 7797 requires `b64` in `crit`.
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
