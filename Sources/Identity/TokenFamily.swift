/// The family of an access token: all those of a login with refresh tokens. The `jti` begins with the id of the family, so
/// that one entry of the deny list ends them all.
package enum TokenFamily {
    /// Characters of the id of a family, and of what tells its tokens apart: 128 bits in base64url.
    private static let length = 22

    /// The `jti` of a token of a family.
    /// - Parameter own: what tells it apart from the others.
    package static func tokenID(in family: String, _ own: String) -> String { "\(family).\(own)" }

    /// The id of the family of a token; nil for a token of none.
    package static func id(of tokenID: String) -> String? {
        let text = tokenID.utf8
        guard text.count == 2 * length + 1 else { return nil }
        let end = text.index(text.startIndex, offsetBy: length)
        return text[end] == UInt8(ascii: ".") ? String(tokenID[..<end]) : nil
    }
}
