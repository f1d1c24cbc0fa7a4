import Model
import Outbound

/// Logs local users in by their passwords: held back by the throttle, hashed off the loop, and with one answer for all
/// that can be wrong.
package struct PasswordLogin: Sendable {
    /// Why a login failed.
    package enum Refusal: Error, Sendable, Equatable {
        /// No such user in the realm, no password, a wrong one, or a disabled user.
        case wrongPassword
        /// Too many were wrong already; this one was not looked at.
        case throttled(retryAfter: Int)
    }

    private let users: UserStore
    private let throttle: LoginThrottle

    package init(users: UserStore, throttle: LoginThrottle) {
        self.users = users
        self.throttle = throttle
    }

    /// Whether a password that was right a short while ago counts without another check: not where guesses are held back.
    package func admitsKnown(_ username: String, realm: String, network: [UInt8], now: Int64) -> Bool {
        guard case .admitted = throttle.admit(user: username, realm: realm, network: network, isRight: true, now: now)
        else { return false }
        return true
    }

    /// The enabled user of the realm whose password this is.
    ///
    /// - Parameters:
    ///   - network: see `LoginThrottle.admit`.
    ///   - now: seconds since 1970.
    package func login(
        _ username: String, password: [UInt8], realm: String, network: [UInt8], now: Int64
    ) -> Effect<Result<User, Refusal>> {
        switch throttle.admit(user: username, realm: realm, network: network, now: now) {
        case .refused(let seconds): return .done(.failure(.throttled(retryAfter: seconds)))
        case .admitted(let attempt):
            return .hash { [users, throttle] in
                guard let user = users.check(username: username, password: password, realm: realm) else {
                    return .done(.failure(.wrongPassword))
                }
                throttle.succeeded(attempt)
                return .done(.success(user))
            }
        }
    }
}
