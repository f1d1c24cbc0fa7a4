import Bytes

/// A token that an access token was exchanged for (RFC 8693, RFC 7523), or that its session is based on (OMS-16,
/// OMS-17). Revoking the origin revokes the token.
package struct TokenOrigin: Sendable, Equatable {
    /// `jti`, or the id of a record; the deny list's key.
    package let tokenID: String
    /// The family of that token, which ends it too; nil for none.
    let family: String?
    /// Id of the client if it was an access token of this gateway; otherwise nil.
    package let backendID: String?

    package init(tokenID: String, backendID: String?) {
        self.tokenID = tokenID
        family = TokenFamily.id(of: tokenID)
        self.backendID = backendID
    }

    /// Maximum length of a chain of exchanges.
    package static let maximumCount = 4
    /// Longest `jti` of an outside token, in bytes: all tokens derived from it carry it.
    package static let maximumTokenIDBytes = 256

    /// Writes the member of a claim set; omitted if empty.
    static func write(_ origins: [TokenOrigin], to writer: inout JSONWriter) {
        guard !origins.isEmpty else { return }
        writer.name("exchanged_for")
        writer.beginArray()
        for origin in origins {
            writer.beginObject()
            writer.member("jti", origin.tokenID)
            if let backendID = origin.backendID { writer.member("backend_id", backendID) }
            writer.endObject()
        }
        writer.endArray()
    }

    /// Reads the output of `write`; nil for other input.
    static func read(_ claims: JSONNode) -> [TokenOrigin]? {
        guard let claim = claims["exchanged_for"] else { return [] }
        guard let elements = claim.array, elements.count <= maximumCount else { return nil }
        let origins = elements.compactMap { element -> TokenOrigin? in
            guard let id = element["jti"]?.string, !id.isEmpty else { return nil }
            guard let client = element["backend_id"] else { return TokenOrigin(tokenID: id, backendID: nil) }
            return client.string.map { TokenOrigin(tokenID: id, backendID: $0) }
        }
        return origins.count == elements.count ? origins : nil
    }
}
