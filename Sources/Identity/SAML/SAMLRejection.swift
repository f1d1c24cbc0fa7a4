import Model

/// Why a SAML assertion is not accepted. Who sent it is told none of it but that a response was sent in an assertion's
/// place; the log has the reason.
package enum SAMLRejection: ReasonedFailure, Equatable, CaseIterable {
    /// This program verifies no SAML: see `SAMLVerifier.obstacle`.
    case unavailable

    // MARK: What it is packed in (SAML-03)

    /// Neither Base64, nor a compressed or plain document inside.
    case malformedPackage
    /// Packed, inflated, or as a document with too many parts.
    case tooLarge

    // MARK: The document

    /// No well-formed XML in UTF-8, or not the elements that SAML has.
    case malformed
    /// A document type, a processing instruction, an entity of the document's own (SAML-04).
    case forbiddenDeclaration
    /// A whole response where an assertion is asked for (SAML-03).
    case responseInsteadOfAssertion
    /// The assertion is encrypted, for which no key is configured.
    case encrypted
    /// A response without an assertion, or with several.
    case notOneAssertion
    /// The response says that the login failed (core section 3.2.2.2).
    case statusNotSuccess

    // MARK: The signature (SAML-04)

    case unsigned
    /// More than one, or not in the profile of core section 5.4.
    case malformedSignature
    /// The signature is about another element than the one it stands in, or its id is not the only one.
    case wrongReference
    case unsupportedAlgorithm
    /// No certificate of the issuer is at hand and valid.
    case unknownKey
    case badSignature

    // MARK: What it says (SAML-05, SAML-06)

    case expired, notYetValid
    /// It says neither how long it is valid nor how long its bearer may use it.
    case missingExpiry
    case missingAudience, wrongAudience
    /// No bearer confirmation that holds now.
    case notConfirmed
    case wrongRecipient
    /// A condition that is not understood.
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
