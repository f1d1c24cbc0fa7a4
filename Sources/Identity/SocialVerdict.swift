import Model
import Outbound

/// Verifies tokens of a social login with their provider.
package protocol SocialVerifier: Sendable {
    /// The verdict on a token, for an app.
    /// - Parameter now: seconds since 1970.
    func verdict(on token: [UInt8], for login: SocialLogin, now: Int64) -> Effect<SocialVerdict>
}

/// The provider's verdict on a social token.
package enum SocialVerdict: Sendable, Equatable {
    /// - Parameters:
    ///   - userID: the provider's id of the user.
    ///   - endsAt: seconds since 1970 when the token expires; nil if not stated.
    case valid(userID: String, endsAt: Int64?)
    /// The token is invalid, or belongs to another app.
    case invalid
    /// The provider does not answer, or its answer is unusable. Says nothing about the credentials.
    case unavailable
}
