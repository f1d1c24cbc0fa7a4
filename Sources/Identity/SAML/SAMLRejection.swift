/// Why a SAML assertion is not accepted. Who sent it is told none of it but that a response was sent in an assertion's
/// place; the log has the reason.
package enum SAMLRejection: Error, Sendable, Equatable, CaseIterable {
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
    package var reason: StaticString {
        switch self {
        case .unavailable: "saml_unavailable"
        case .malformedPackage: "saml_package_malformed"
        case .tooLarge: "saml_too_large"
        case .malformed: "saml_malformed"
        case .forbiddenDeclaration: "saml_declaration_forbidden"
        case .responseInsteadOfAssertion: "saml_response_not_assertion"
        case .encrypted: "saml_encrypted"
        case .notOneAssertion: "saml_not_one_assertion"
        case .statusNotSuccess: "saml_status_not_success"
        case .unsigned: "saml_unsigned"
        case .malformedSignature: "saml_signature_malformed"
        case .wrongReference: "saml_reference_wrong"
        case .unsupportedAlgorithm: "saml_algorithm_unsupported"
        case .unknownKey: "saml_key_unknown"
        case .badSignature: "saml_signature_invalid"
        case .expired: "saml_expired"
        case .notYetValid: "saml_not_yet_valid"
        case .missingExpiry: "saml_expiry_missing"
        case .missingAudience: "saml_audience_missing"
        case .wrongAudience: "saml_audience_wrong"
        case .notConfirmed: "saml_not_confirmed"
        case .wrongRecipient: "saml_recipient_wrong"
        case .unknownCondition: "saml_condition_unknown"
        }
    }
}
