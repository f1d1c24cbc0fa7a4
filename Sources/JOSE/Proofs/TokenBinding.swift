import Bytes

/// The keys that the sender of a token must prove to have: the confirmation `cnf` of the token (RFC 7800 section 3.1).
package struct TokenBinding: Sendable, Equatable {
    /// Name of the claim.
    package static let claim = "cnf"
    private static let keyMember = "jkt"
    private static let certificateMember = "x5t#S256"
    private static let thumbprintLength = 32

    /// SHA-256 thumbprint of the key that signs proofs (RFC 9449 section 6.1); nil for none.
    package let key: [UInt8]?
    /// SHA-256 digest of the client's certificate (RFC 8705 section 3.1); nil for none.
    package let certificate: [UInt8]?

    /// Nil for no binding at all.
    package init?(key: [UInt8]? = nil, certificate: [UInt8]? = nil) {
        guard key != nil || certificate != nil else { return nil }
        self.key = key
        self.certificate = certificate
    }

    /// The binding to a key by its thumbprint in base64url; nil for other text.
    package init?(thumbprint: String) {
        guard let digest = TokenBinding.digest(thumbprint) else { return nil }
        self.init(key: digest)
    }

    /// Reads the value of `cnf`; nil if it is malformed, empty or has a method that is not known here: all methods of a
    /// token must be proved.
    package init?(_ confirmation: JSONNode) {
        guard let members = confirmation.members else { return nil }
        var key: [UInt8]?
        var certificate: [UInt8]?
        for member in members {
            guard let digest = member.node.string.flatMap(TokenBinding.digest) else { return nil }
            switch member.name {
            case TokenBinding.keyMember: key = digest
            case TokenBinding.certificateMember: certificate = digest
            default: return nil
            }
        }
        self.init(key: key, certificate: certificate)
    }

    /// Writes `cnf` as a member of an object.
    package func write(to writer: inout JSONWriter) {
        writer.name(TokenBinding.claim)
        writer.beginObject()
        if let key { writer.member(TokenBinding.keyMember, TokenBinding.text(key)) }
        if let certificate { writer.member(TokenBinding.certificateMember, TokenBinding.text(certificate)) }
        writer.endObject()
    }

    /// The thumbprint of the key in base64url; nil without a key.
    package var thumbprint: String? { key.map(TokenBinding.text) }

    private static func digest(_ text: String) -> [UInt8]? {
        Base64.decode(Array(text.utf8).span, .url).flatMap { $0.count == thumbprintLength ? $0 : nil }
    }

    private static func text(_ digest: [UInt8]) -> String {
        String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }
}
