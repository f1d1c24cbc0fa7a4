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
        case .unknownSubject: 23
        case .missingBackend: 24
        case .unknownBackend: 25
        case .basicDisabled: 26
        case .oauthDisabled: 27
        case .wrongPassword: 28
        case .loginThrottled: 29
        case .loginRequired: 30
        case .socialLoginRequired: 31
        case .socialLoginOnly: 32
        case .missingApplicationKey: 33
        case .wrongWebgate: 34
        case .sessionIdle: 35
        case .invalidSession: 36
        case .sessionExpired: 37
        case .crossSiteRequest: 38
        case .stepUpRequired: 39
        case .keysUnavailable: 40
        case .backendMismatch: 41
        case .backendNotAllowed: 42
        case .applicationMismatch: 43
        case .insufficientScope: 44
        case .roleRequired: 45
        case .providerUnavailable: 46
        case .introspectionUnavailable: 47
        case .wrongScheme: 48
        }
    }
}
