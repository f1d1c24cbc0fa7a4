import Bytes

/// What an access token was exchanged for (RFC 8693, RFC 7523), or what its session came of (OMS-16, OMS-17): whatever ends
/// that, ends the token too.
package struct TokenOrigin: Sendable, Equatable {
    /// `jti`, or the id of a record: what the deny list knows it by.
    package var tokenID: String
    /// `mobileBackendId` where it was an access token of this gateway; nil for anything else.
    package var backendID: String?

    package init(tokenID: String, backendID: String?) {
        self.tokenID = tokenID
        self.backendID = backendID
    }

    /// How many may stand one behind the other: so often a token can be exchanged.
    package static let maximumCount = 4
    /// Longest `jti` of an outside token, in bytes: it is carried in every token that came of it.
    package static let maximumTokenIDBytes = 256

    /// The member of a claim set; nothing for none.
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

    /// Reads what `write` has written; nil for anything else.
    static func read(_ claims: JSONNode) -> [TokenOrigin]? {
        guard let claim = claims["exchanged_for"] else { return [] }
        guard let elements = claim.array, elements.count <= maximumCount else { return nil }
        let origins = elements.compactMap { element -> TokenOrigin? in
            guard let id = element["jti"]?.string, !id.isEmpty else { return nil }
            guard let backend = element["backend_id"] else { return TokenOrigin(tokenID: id, backendID: nil) }
            return backend.string.map { TokenOrigin(tokenID: id, backendID: $0) }
        }
        return origins.count == elements.count ? origins : nil
    }
}
