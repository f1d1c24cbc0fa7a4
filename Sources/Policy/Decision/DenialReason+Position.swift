extension DenialReason {
    /// Place among `allCases`, for counters and for what is made once for each reason. It is written out, since a
    /// dictionary would hash the code with each refusal.
    package var position: Int {
        switch self {
        case .noRoute: 0
        case .methodNotAllowed: 1
        case .ambiguousPath: 2
        case .corsDenied: 3
        case .corsMalformed: 4
        case .tlsRequired: 5
        case .certificateRequired: 6
        case .certificateNotAllowed: 7
        case .duplicateCredential: 8
        case .missingCredential: 9
        case .unsupportedScheme: 10
        case .malformedCredential: 11
        case .malformedToken: 12
        case .unsupportedAlgorithm: 13
        case .unknownKey: 14
        case .badSignature: 15
        case .invalidToken: 16
        case .tokenExpired: 17
        case .tokenNotYetValid: 18
        case .tokenRevoked: 19
        case .storeUnavailable: 20
        case .unknownIssuer: 21
        case .wrongAudience: 22
        case .wrongTokenType: 23
        case .proofRequired: 24
        case .unknownSubject: 25
        case .missingBackend: 26
        case .unknownBackend: 27
        case .basicDisabled: 28
        case .oauthDisabled: 29
        case .wrongPassword: 30
        case .loginThrottled: 31
        case .loginRequired: 32
        case .socialLoginRequired: 33
        case .socialLoginOnly: 34
        case .missingApplicationKey: 35
        case .wrongWebgate: 36
        case .sessionIdle: 37
        case .invalidSession: 38
        case .sessionExpired: 39
        case .crossSiteRequest: 40
        case .stepUpRequired: 41
        case .keysUnavailable: 42
        case .backendMismatch: 43
        case .backendNotAllowed: 44
        case .applicationMismatch: 45
        case .insufficientScope: 46
        case .roleRequired: 47
        case .providerUnavailable: 48
        case .introspectionUnavailable: 49
        case .wrongScheme: 50
        }
    }
}
