/// What all families of failures have in common: each case stands for a reason, which has code and status.
package protocol ReasonedFailure: Error, Sendable {
    var reason: Reason { get }
}

extension ReasonedFailure {
    package var status: Int { reason.status }
}

extension Reason {
    /// Seconds for a `Retry-After`; nil where waiting does not help, or where each failure knows its own wait.
    package var retryAfterSeconds: Int? {
        switch self {
        case .loginServerNotAsked: 60
        case .loginThrottled, .clientThrottled: 30
        case .keysUnavailable, .providerUnavailable: 5
        case .storeUnavailable, .introspectionUnavailable, .policyUnavailable, .identityProviderUnavailable,
            .usersUnavailable,
            .tokenStoreUnavailable, .tokenIssuerUnavailable, .assertionKeysUnavailable, .loginServerUnavailable,
            .loginServerInvalidAnswer, .ssoUnavailable, .issuerUnavailable, .busy:
            1
        default: nil
        }
    }
}
