import JOSE

/// Why an outside token is not exchanged. The response does not reveal the reason (JTX-10); the log records it.
package enum AssertionRejection: Error, Equatable, CaseIterable {
    /// Not a signed JWT in compact serialisation, or a claim is of the wrong type.
    case malformed
    /// Longer than `CompactJWS.maximumLength`.
    case tooLarge
    case encrypted
    /// An unknown critical header parameter.
    case criticalHeader
    /// The token has no `iss`, or no entry matches it (JWT-10).
    case unknownIssuer
    /// The issuer's entry or the whole configuration is invalid (JWT-03).
    case invalidIssuer
    case disabledIssuer
    case unsupportedAlgorithm
    /// No key of the issuer matches the token.
    case unknownKey
    case badSignature
    /// The issuer's keys cannot be used: its documents are invalid.
    case unusableKeys
    case missingExpiry, expired, notYetValid, issuedInFuture
    case wrongAudience
    /// Issued for another purpose (RFC 8725 section 3.11).
    case wrongType
    /// Issued for another client than the one that presents it.
    case wrongClient
    /// Bound to a key; exchanging it for a bearer token would remove the binding.
    case proofRequired
    case filterNotSatisfied
    case missingUsername, unusableUsername
    /// The token belongs to an application, not a user (JWT-16).
    case clientToken
    case unknownUser, ambiguousUser, disabledUser
    /// Already exchanged, and the issuer's entry allows one exchange only (JTX-11).
    case usedBefore
    /// Listed in the deny list.
    case revoked

    package init(_ rejection: TokenRejection) {
        self =
            switch rejection {
            case .malformed: .malformed
            case .tooLarge: .tooLarge
            case .encrypted, .undecryptable, .unsigned, .unencrypted: .encrypted
            case .criticalHeader: .criticalHeader
            case .unsupportedAlgorithm, .algorithmMismatch: .unsupportedAlgorithm
            case .unknownIssuer: .unknownIssuer
            case .unknownKey: .unknownKey
            case .badSignature, .untrustedChain, .chainNameMismatch: .badSignature
            case .expired, .lifetimeTooLong: .expired
            case .notYetValid: .notYetValid
            case .issuedInFuture: .issuedInFuture
            case .missingExpiry: .missingExpiry
            case .wrongAudience: .wrongAudience
            case .wrongType: .wrongType
            case .wrongClient: .wrongClient
            case .proofRequired: .proofRequired
            }
    }

    package init(_ rejection: ExternalIdentityRejection) {
        self =
            switch rejection {
            case .missingUsername: .missingUsername
            // Only providers of browser logins require verified addresses.
            case .unusableUsername, .unverifiedEmail: .unusableUsername
            case .clientToken: .clientToken
            case .unknownUser: .unknownUser
            case .ambiguousUser: .ambiguousUser
            case .disabledUser: .disabledUser
            }
    }
}
