/// What the challenge with a refusal says of the token that was sent (RFC 6750 section 3.1).
@usableFromInline
package enum TokenError: UInt8, Sendable {
    /// No bearer token was sent, which then must not be hinted at.
    case none
    case invalidToken
    /// A token that is bound to a key came without its scheme, and would do with a proof.
    case unprovenToken
    /// RFC 9449 section 7.1.
    case invalidProof
    /// RFC 9449 section 9.
    case nonceRequired
    /// RFC 9470 section 3: the token is good, and does not tell of the login that is needed.
    case weakLogin
    case insufficientScope

    /// The `error` of the challenge; nil where it has none.
    package var code: StaticString? {
        switch self {
        case .none: nil
        case .invalidToken, .unprovenToken: "invalid_token"
        case .invalidProof: "invalid_dpop_proof"
        case .nonceRequired: "use_dpop_nonce"
        case .weakLogin: "insufficient_user_authentication"
        case .insufficientScope: "insufficient_scope"
        }
    }

    /// Whether a token that is bound to a key would do with a proof.
    package var isOfProof: Bool {
        switch self {
        case .unprovenToken, .invalidProof, .nonceRequired: true
        case .none, .invalidToken, .weakLogin, .insufficientScope: false
        }
    }
}
