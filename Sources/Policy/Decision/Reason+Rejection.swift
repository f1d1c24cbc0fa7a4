import Identity
import JOSE
import Model

extension Reason {
    /// What the log says of a token that did not verify. To the client they are all the same (CHAL-07).
    init(_ rejection: TokenRejection) {
        switch rejection {
        case .expired: self = .tokenExpired
        case .notYetValid, .issuedInFuture: self = .tokenNotYetValid
        case .unknownIssuer: self = .unknownIssuer
        case .wrongAudience: self = .wrongAudience
        case .malformed: self = .malformedToken
        case .tooLarge: self = .tokenTooLarge
        case .encrypted, .criticalHeader, .unsupportedAlgorithm, .algorithmMismatch: self = .unsupportedAlgorithm
        case .undecryptable: self = .tokenUndecryptable
        case .unsigned: self = .tokenUnsigned
        case .unencrypted: self = .tokenUnencrypted
        case .unknownKey: self = .unknownKey
        case .badSignature: self = .badSignature
        case .untrustedChain: self = .tokenChainUntrusted
        case .chainNameMismatch: self = .tokenChainNameWrong
        case .wrongType: self = .wrongTokenType
        case .wrongClient: self = .wrongTokenClient
        case .proofRequired: self = .proofRequired
        case .missingExpiry, .lifetimeTooLong: self = .invalidToken
        }
    }

    /// The same of a proof of possession.
    init(_ rejection: ProofRejection) {
        switch rejection {
        case .malformed: self = .dpopProofMalformed
        case .badSignature: self = .dpopSignatureInvalid
        case .otherKey: self = .dpopKeyWrong
        case .otherRequest: self = .dpopRequestWrong
        case .otherToken: self = .dpopTokenWrong
        case .outOfTime: self = .dpopTimeWrong
        case .replayed: self = .dpopReplayed
        case .nonceRequired: self = .dpopNonceRequired
        }
    }

    /// The same of a SAML assertion. `portcullis issuer test` names the cause.
    init(_ rejection: SAMLRejection) {
        switch rejection {
        case .unavailable: self = .samlUnavailable
        case .malformedPackage, .tooLarge, .malformed, .forbiddenDeclaration, .responseInsteadOfAssertion, .encrypted,
            .notOneAssertion, .statusNotSuccess, .malformedSignature:
            self = .malformedToken
        case .unsigned, .wrongReference, .badSignature: self = .badSignature
        case .unsupportedAlgorithm: self = .unsupportedAlgorithm
        case .unknownKey: self = .unknownKey
        case .expired: self = .tokenExpired
        case .notYetValid: self = .tokenNotYetValid
        case .missingAudience, .wrongAudience: self = .wrongAudience
        case .missingExpiry, .notConfirmed, .wrongRecipient, .unknownCondition: self = .invalidToken
        }
    }

    init(_ refusal: AssertionCandidate.Refusal) {
        switch refusal {
        case .document(let rejection): self.init(rejection)
        case .issuer: self = .unknownIssuer
        }
    }

    /// The same of an opaque token.
    init(_ refusal: OpaqueTokenRefusal) {
        switch refusal {
        case .unknown: self = .invalidToken
        case .expired: self = .tokenExpired
        case .unknownSubject: self = .unknownSubject
        case .unavailable: self = .storeUnavailable
        }
    }
}
