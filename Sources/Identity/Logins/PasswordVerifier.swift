import Outbound

/// Another server that knows whether a password is right (OMS-12).
package protocol PasswordVerifier: Sendable {
    /// Asks it once: accounts are locked after a few wrong passwords. Called on an event loop.
    /// - Parameter now: seconds since 1970.
    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, PasswordOutage>>
}

/// A name and a password as a user has typed them. They are kept only as long as their request.
package struct PresentedLogin: Sendable {
    package var username: String
    package let password: String

    package init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// What a server has said of a password.
package enum PasswordVerdict: Sendable, Equatable {
    case right
    case wrong
    /// The account is locked or may not log in, whether the password is right or not.
    case forbidden
    /// Asked too often about this account; the password was not looked at.
    case throttled(retryAfter: Int)
}

/// The password could not be checked. The credentials may be valid, so the answer is never a 401.
package struct PasswordOutage: Error, Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The server cannot be reached, is overloaded, or is being left alone.
        case unavailable
        /// Its answer makes no sense.
        case invalidAnswer
        /// It does not accept the gateway itself.
        case misconfigured
    }

    package let reason: Reason
    /// Nil where waiting does not help.
    package let retryAfterSeconds: Int?

    package init(_ reason: Reason, retryAfterSeconds: Int? = nil) {
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether the server is down. One that turns the gateway away is not: it has been asked and does not want to be
    /// spoken for.
    package var isDown: Bool { reason != .misconfigured }
}
