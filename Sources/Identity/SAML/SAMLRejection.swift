import Model

/// Why a SAML assertion is refused. The response reveals only that a response was sent instead of an assertion; the log
/// records the reason.
package enum SAMLRejection: ReasonedFailure, Equatable, CaseIterable {
    /// SAML verification is unavailable; see `SAMLVerifier.obstacle`.
    case unavailable

    // MARK: Packing (SAML-03)

    /// Neither Base64, nor a compressed or plain document inside.
    case malformedPackage
    /// Too large when packed or inflated, or a document with too many parts.
    case tooLarge

    // MARK: The document

    /// Not well-formed XML in UTF-8, or not SAML elements.
    case malformed
    /// A document type, processing instruction or entity declaration (SAML-04).
    case forbiddenDeclaration
    /// A response was sent instead of an assertion (SAML-03).
    case responseInsteadOfAssertion
    /// The assertion is encrypted, and no key is configured for it.
    case encrypted
    /// A response without an assertion, or with several.
    case notOneAssertion
    /// The response says that the login failed (core section 3.2.2.2).
    case statusNotSuccess

    // MARK: The signature (SAML-04)

    case unsigned
    /// Several signatures, or not in the profile of core section 5.4.
    case malformedSignature
    /// The signature refers to another element than its parent, or the id is not unique.
    case wrongReference
    case unsupportedAlgorithm
    /// No valid certificate of the issuer is available.
    case unknownKey
    case badSignature

    // MARK: Content (SAML-05, SAML-06)

    case expired, notYetValid
    /// Neither the assertion nor its confirmation has an expiry.
    case missingExpiry
    case missingAudience, wrongAudience
    /// No valid bearer confirmation.
    case notConfirmed
    case wrongRecipient
    /// An unknown condition.
    case unknownCondition

    /// Stable code for the log.
    package var reason: Reason {
        switch self {
        case .unavailable: .samlUnavailable
        case .malformedPackage: .samlPackageMalformed
        case .tooLarge: .samlTooLarge
        case .malformed: .samlMalformed
        case .forbiddenDeclaration: .samlDeclarationForbidden
        case .responseInsteadOfAssertion: .samlResponseNotAssertion
        case .encrypted: .samlEncrypted
        case .notOneAssertion: .samlNotOneAssertion
        case .statusNotSuccess: .samlStatusNotSuccess
        case .unsigned: .samlUnsigned
        case .malformedSignature: .samlSignatureMalformed
        case .wrongReference: .samlReferenceWrong
        case .unsupportedAlgorithm: .samlAlgorithmUnsupported
        case .unknownKey: .samlKeyUnknown
        case .badSignature: .samlSignatureInvalid
        case .expired: .samlExpired
        case .notYetValid: .samlNotYetValid
        case .missingExpiry: .samlExpiryMissing
        case .missingAudience: .samlAudienceMissing
        case .wrongAudience: .samlAudienceWrong
        case .notConfirmed: .samlNotConfirmed
        case .wrongRecipient: .samlRecipientWrong
        case .unknownCondition: .samlConditionUnknown
        }
    }
}
