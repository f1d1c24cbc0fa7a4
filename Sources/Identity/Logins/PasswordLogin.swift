import Crypto
import Model
import Outbound

/// Logs local users in by their passwords: held back by the throttle, hashed off the loop, and with one answer for all
/// that can be wrong. Logins of one user from one network with one password at the same time are one login.
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
    private let underWay = SharedEffects<Result<User, Refusal>>()
    /// Of the digests that passwords under way are known by.
    private let key = SecureRandom.bytes(32)

    package init(users: UserStore, throttle: LoginThrottle) {
        self.users = users
        self.throttle = throttle
    }

    /// Whether a password that was right a short while ago counts without another check: not where guesses are held back.
    package func recall(_ username: String, realm: String, network: [UInt8], now: Int64) -> LoginThrottle.Recall {
        throttle.recall(user: username, realm: realm, network: network, now: now)
    }

    /// The enabled user of the realm whose password this is.
    ///
    /// - Parameters:
    ///   - network: see `LoginThrottle.attempt`.
    ///   - now: seconds since 1970.
    package func login(
        _ username: String, password: [UInt8], realm: String, network: [UInt8], now: Int64
    ) -> Effect<Result<User, Refusal>> {
        underWay.result(of: digest(username, password, realm, network)) { [users, throttle] in
            throttle.attempt(user: username, realm: realm, network: network, now: now).then { result in
                let attempt: LoginAttempt
                switch result {
                case .failure(let refusal): return .done(.failure(.throttled(retryAfter: refusal.retryAfter)))
                case .success(let admitted): attempt = admitted
                }
                return .hash(attempt.priority) {
                    guard let user = users.check(username: username, password: password, realm: realm) else {
                        attempt.failed()
                        return .done(.failure(.wrongPassword))
                    }
                    attempt.succeeded()
                    return .done(.success(user))
                }
            }
        }
    }

    private func digest(_ username: String, _ password: [UInt8], _ realm: String, _ network: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for part in [Array(username.utf8), password, Array(realm.utf8), network] {
            text += Array("\(part.count) ".utf8) + part
        }
        let key = key
        let digest = DigestAlgorithm.sha256.hmac(key: key.span, text.span)
        return digest
    }
}
