import Identity
import Model

extension ExternalIdentityRejection {
    /// Stable code for the log.
    package var reason: Reason {
        switch self {
        case .missingUsername: .providerUsernameMissing
        case .unusableUsername: .providerUsernameUnusable
        case .clientToken: .providerTokenOfClient
        case .unknownUser: .providerUserUnknown
        case .ambiguousUser: .providerUserAmbiguous
        case .disabledUser: .providerUserDisabled
        case .unverifiedEmail: .providerEmailUnverified
        }
    }
}

extension ProviderFailure: ReasonedFailure {
    /// Stable code for the log and for metrics.
    package var reason: Reason {
        switch self {
        case .denied: .providerDenied
        case .malformedCallback: .providerCallbackMalformed
        case .foreignAnswer: .providerAnswerForeign
        case .codeRefused: .providerCodeRefused
        case .wrongNonce: .providerNonceWrong
        case .token: .providerTokenInvalid
        case .assertion: .providerAssertionInvalid
        case .answer: .providerInvalidAnswer
        case .misconfigured: .providerMisconfigured
        case .unavailable: .providerUnavailable
        case .interrupted(let isLate): isLate ? .loginFormExpired : .loginFormForeign
        }
    }
}
