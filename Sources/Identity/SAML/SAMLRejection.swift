/// Why a SAML assertion is refused. The response reveals only that a response was sent instead of an assertion; the log
/// records the reason, whose code is the raw value.
package enum SAMLRejection: String, Error, CaseIterable {
    /// SAML verification is unavailable; see `SAMLVerifier.obstacle`.
    case unavailable = "saml_unavailable"

    // MARK: Packing (SAML-03)

    /// Neither Base64, nor a compressed or plain document inside.
    case malformedPackage = "saml_package_malformed"
    /// Too large when packed or inflated, or a document with too many parts.
    case tooLarge = "saml_too_large"

    // MARK: The document

    /// Not well-formed XML in UTF-8, or not SAML elements.
    case malformed = "saml_malformed"
    /// A document type, processing instruction or entity declaration (SAML-04).
    case forbiddenDeclaration = "saml_declaration_forbidden"
    /// A response was sent instead of an assertion (SAML-03).
    case responseInsteadOfAssertion = "saml_response_not_assertion"
    /// The assertion is encrypted, and no key is configured for it.
    case encrypted = "saml_encrypted"
    /// A response without an assertion, or with several.
    case notOneAssertion = "saml_not_one_assertion"
    /// The response says that the login failed (core section 3.2.2.2).
    case statusNotSuccess = "saml_status_not_success"

    // MARK: The signature (SAML-04)

    case unsigned = "saml_unsigned"
    /// Several signatures, or not in the profile of core section 5.4.
    case malformedSignature = "saml_signature_malformed"
    /// The signature refers to another element than its parent, or the id is not unique.
    case wrongReference = "saml_reference_wrong"
    case unsupportedAlgorithm = "saml_algorithm_unsupported"
    /// No valid certificate of the issuer is available.
    case unknownKey = "saml_key_unknown"
    case badSignature = "saml_signature_invalid"

    // MARK: Content (SAML-05, SAML-06)

    case expired = "saml_expired", notYetValid = "saml_not_yet_valid"
    /// Neither the assertion nor its confirmation has an expiry.
    case missingExpiry = "saml_expiry_missing"
    case missingAudience = "saml_audience_missing", wrongAudience = "saml_audience_wrong"
    /// No valid bearer confirmation.
    case notConfirmed = "saml_not_confirmed"
    case wrongRecipient = "saml_recipient_wrong"
    /// An unknown condition.
    case unknownCondition = "saml_condition_unknown"
}
