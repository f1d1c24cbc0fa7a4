import Bytes
import Model

/// A token with verified signature, issuer, times and audience.
package struct VerifiedToken: Sendable {
    /// Index of the issuer in the verifier's array.
    package let issuerIndex: Int
    /// All claims, a JSON object.
    package let claims: JSONNode
    /// `sub`.
    package let subject: String?
    /// `exp` in seconds since 1970, without clock skew, or an earlier end of the certificates that came with the token.
    package let expiresAt: Int64
    /// `iat` in seconds since 1970.
    package let issuedAt: Int64?
    /// `jti`.
    package let tokenID: String?
    /// `kid` of the header.
    package let keyID: String?
    /// `typ` of the header, which distinguishes access tokens from ID tokens (RFC 9068 section 2.1).
    package let type: String?
    /// `alg` of the header.
    package let algorithm: SignatureAlgorithm

    /// The keys that the sender must prove to have; nil for a bearer token. The purpose of the verification decides
    /// whether bound tokens are accepted at all.
    package var binding: TokenBinding? { claims[TokenBinding.claim].flatMap { TokenBinding($0) } }
}

/// The result of a verification.
package enum VerificationOutcome: Sendable {
    case verified(VerifiedToken)
    case rejected(TokenRejection)
    /// The keys of the issuer at this index must be fetched first.
    case needsKeys(issuerIndex: Int, KeyNeed)
    /// The keys are unavailable at the moment.
    case keysUnavailable
}
