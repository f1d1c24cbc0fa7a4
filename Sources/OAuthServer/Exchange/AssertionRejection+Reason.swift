import Identity
import Model

extension AssertionRejection: ReasonedFailure {
    /// Stable code for the log.
    package var reason: Reason {
        switch self {
        case .malformed: .assertionMalformed
        case .tooLarge: .tokenTooLarge
        case .encrypted: .assertionEncrypted
        case .criticalHeader: .assertionCriticalHeader
        case .unknownIssuer: .assertionIssuerUnknown
        case .invalidIssuer: .assertionIssuerInvalid
        case .disabledIssuer: .assertionIssuerDisabled
        case .unsupportedAlgorithm: .assertionAlgorithmUnsupported
        case .unknownKey: .assertionKeyUnknown
        case .badSignature: .assertionSignatureInvalid
        case .unusableKeys: .assertionKeysUnusable
        case .missingExpiry: .assertionExpiryMissing
        case .expired: .assertionExpired
        case .notYetValid: .assertionNotYetValid
        case .issuedInFuture: .assertionIssuedInFuture
        case .wrongAudience: .assertionAudienceWrong
        case .wrongType: .assertionTypeWrong
        case .wrongClient: .assertionClientWrong
        case .proofRequired: .assertionProofRequired
        case .filterNotSatisfied: .assertionFilterNotSatisfied
        case .missingUsername: .assertionUsernameMissing
        case .unusableUsername: .assertionUsernameUnusable
        case .clientToken: .assertionOfClient
        case .unknownUser: .assertionUserUnknown
        case .ambiguousUser: .assertionUserAmbiguous
        case .disabledUser: .assertionUserDisabled
        case .usedBefore: .assertionUsedBefore
        case .revoked: .assertionRevoked
        }
    }
}

extension SAMLRejection: ReasonedFailure {
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
