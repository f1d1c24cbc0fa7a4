import Bytes

/// A token whose signature, issuer, times and audience have been checked.
package struct VerifiedToken: Sendable {
    /// Place of the issuer in the array that the verifier was made with.
    package let issuerIndex: Int
    /// All claims, a JSON object.
    package let claims: JSONNode
    /// `sub`.
    package let subject: String?
    /// `exp` in seconds since 1970, without clock skew.
    package let expiresAt: Int64
    /// `iat` in seconds since 1970.
    package let issuedAt: Int64?
    /// `jti`.
    package let tokenID: String?
    /// `kid` of the header.
    package let keyID: String?
    /// `typ` of the header: what keeps an ID token from being taken for an access token (RFC 9068 section 2.1).
    package let type: String?
}

/// What a verifier answers.
package enum VerificationOutcome: Sendable {
    case verified(VerifiedToken)
    case rejected(TokenRejection)
    /// It depends on keys that are to be fetched from the issuer at this place of the verifier's array.
    case needsKeys(issuerIndex: Int, KeyNeed)
    /// It depends on keys that cannot be had at the moment.
    case keysUnavailable
}
