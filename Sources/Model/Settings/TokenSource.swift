/// A part of a request that may hold a token.
package enum TokenSource: Hashable, Sendable {
    /// The value of a header field: the token alone, or a scheme, blanks and the token.
    case header(String, scheme: String?)
    case cookie(String)
    /// A parameter of the query, which is not forwarded.
    case query(String)

    /// `Authorization: Bearer` (RFC 6750 section 2.1).
    package static let authorization = TokenSource.header("Authorization", scheme: "Bearer")
}
