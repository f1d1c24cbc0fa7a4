/// Why a proof of possession (RFC 9449 section 4.3) is refused.
package enum ProofRejection: Error, Sendable, CaseIterable {
    /// Not a JWT of the type `dpop+jwt` with an asymmetric algorithm, a public key and all claims.
    case malformed
    case badSignature
    /// The key is not the one that the token is bound to.
    case otherKey
    /// `htm` or `htu` is that of another request.
    case otherRequest
    /// `ath` is missing or that of another token.
    case otherToken
    /// `iat` is too long ago or in the future.
    case outOfTime
    /// The proof was used before.
    case replayed
    /// No nonce of this gateway that is still accepted.
    case nonceRequired
}
