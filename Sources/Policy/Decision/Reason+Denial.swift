import HTTP
import Model

/// What a client sees of a denial by policy.
extension Reason {
    /// The `title` member of the body: the standard reason phrase, also where HTTP/1 says otherwise (CON-26).
    package var title: String { "\(StatusReason.text(status))" }

    /// The `detail` member of the body.
    package var detail: String {
        switch self {
        case .noRoute: "no such resource"
        case .methodNotAllowed: "the resource does not have this method"
        case .ambiguousPath: "the path is ambiguous"
        case .corsDenied: "cross-site requests from this origin are not allowed"
        case .corsMalformed: "malformed cross-site request"
        case .tlsRequired: "this endpoint wants TLS"
        case .clientCertificateRequired: "a client certificate is required"
        case .clientCertificateNotAllowed: "the client certificate is not for this resource"
        case .clientCertificateRevoked: "the client certificate is revoked"
        case .clientCertificateInvalid: "the client certificate is not valid"
        case .clientCertificateMalformed: "the field with the client certificate is malformed"
        case .duplicateCredential: "more than one credential"
        case .keyBesideCredential: "an API key beside another credential, which this resource does not take together"
        case .backendMismatch: "the backend id does not belong to the credential"
        case .clientNotAllowed: "the credential is not for this resource"
        case .applicationMismatch: "token or API key are not for this resource"
        case .crossSiteRequest: "the request does not come from a page of this site"
        case .insufficientScope: "the token is for reading only"
        case .loginThrottled: "too many attempts"
        case .keysUnavailable: "the issuer of the token does not answer"
        case .roleRequired: "a required role is missing"
        case .addressNotAllowed: "requests from this address are not allowed"
        case .scopeRequired: "a required scope is missing"
        case .claimRequired: "a required claim is missing"
        case .policyDenied: "the request is not allowed"
        case .policyHidden: "no such resource"
        case .policyInputInvalid: "the request can be read in two ways"
        case .forwardAuthMalformed: "a field imitates one that the upstream gets"
        case .forwardAuthUnsupported: "only the gateway itself can serve this request"
        case .identityProviderUnavailable, .storeUnavailable, .introspectionUnavailable,
            .policyUnavailable:
            "try again later"
        default: "invalid or missing token"
        }
    }

    /// The `error_description` where the token is good, and one of a stronger or newer login is needed (RFC 9470
    /// section 3); nil for other reasons.
    var neededLogin: StaticString? {
        switch self {
        case .authenticationTooWeak: "another way to log in is required"
        case .authenticationTooOld: "a more recent login is required"
        default: nil
        }
    }

    /// Whether a token that is bound to a key would do with a proof.
    package var isOfProof: Bool {
        switch self {
        case .dpopSchemeWrong, .dpopProofMissing, .dpopProofRepeated, .dpopProofMalformed, .dpopSignatureInvalid,
            .dpopKeyWrong, .dpopRequestWrong, .dpopTokenWrong, .dpopTimeWrong, .dpopReplayed, .dpopNonceRequired:
            true
        default: false
        }
    }

    /// The JSON body in UTF-8. Rendered once for the whole run: a refusal formats nothing.
    package var body: [UInt8] { Reason.bodies[index] }

    private static let bodies: [[UInt8]] = allCases.map { reason in
        let text =
            #"{"status":\#(reason.status),"title":"\#(reason.title)","detail":"\#(reason.detail)","#
            + #""code":"\#(reason.publicCode)"}"#
        return Array(text.utf8)
    }

    /// The `error` of a `Bearer` challenge (RFC 6750 section 3.1, RFC 9470 section 3); nil where no bearer token was
    /// sent, which then must not be hinted at.
    package var bearerError: StaticString? {
        switch self {
        case .malformedToken, .unsupportedAlgorithm, .unknownKey, .badSignature, .invalidToken, .tokenExpired,
            .tokenNotYetValid, .tokenRevoked, .unknownIssuer, .wrongAudience, .wrongTokenType, .wrongTokenClient,
            .proofRequired, .unknownSubject, .oauthDisabled, .wrongWebgate, .sessionIdle, .issuerNotAllowed,
            .apiKeyUnknown,
            .apiKeyExpired, .tokenUnbound, .tokenCertificateWrong, .dpopSchemeWrong, .tokenUndecryptable,
            .tokenUnsigned, .tokenUnencrypted, .tokenChainUntrusted, .tokenChainNameWrong:
            "invalid_token"
        case .dpopProofMissing, .dpopProofRepeated, .dpopProofMalformed, .dpopSignatureInvalid, .dpopKeyWrong,
            .dpopRequestWrong, .dpopTokenWrong, .dpopTimeWrong, .dpopReplayed:
            "invalid_dpop_proof"
        case .dpopNonceRequired: "use_dpop_nonce"
        case .stepUpRequired, .loginRequired, .socialLoginRequired, .wrongScheme, .authenticationTooWeak,
            .authenticationTooOld:
            "insufficient_user_authentication"
        case .insufficientScope, .scopeRequired: "insufficient_scope"
        default: nil
        }
    }
}
