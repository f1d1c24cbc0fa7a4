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
