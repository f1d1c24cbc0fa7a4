import Crypto
import Identity
import Synchronization

/// The wrong passwords that one user has had one after the other at one application (OMS-10).
package struct LoginAttempts: Sendable, Equatable {
    /// Where neither server nor application say how many are allowed.
    package static let standardMaximum: Int64 = 1

    /// What an application may wish for itself: whoever guesses is an application, too.
    private static let largestWish: Int64 = 10

    /// How many wrong passwords are allowed: what the server says, or within bounds what the application does.
    static func maximum(server: Int64?, merged: Int64?) -> Int64 {
        let limit = max(merged ?? 0, standardMaximum)
        return server == nil ? min(limit, largestWish) : limit
    }

    package private(set) var failures: Int64 = 0
    /// Seconds since 1970; 0 for never.
    package private(set) var lockedUntil: Int64 = 0

    package init() {}

    /// Whether attempts are refused for now. When that is over they count from the beginning.
    package mutating func isLocked(at now: Int64) -> Bool {
        if lockedUntil > now { return true }
        if lockedUntil > 0 { self = LoginAttempts() }
        return false
    }

    /// A password was wrong. Answers how many more may be.
    package mutating func fail(maximum: Int64, lockoutSeconds: Int64, now: Int64) -> Int64 {
        failures += 1
        if failures < maximum { return maximum - failures }
        lockedUntil = now + lockoutSeconds
        return 0
    }
}

/// Attempts by service domain, application and user, whether there is such a user or not. Bounded: of more users than it
/// has room for, those are forgotten first that are not locked.
package final class LoginAttemptTable: Sendable {
    /// Whose attempts.
    package struct Key: Hashable, Sendable {
        private let digest: [UInt8]

        package init(domain: String, application: String, user: String) {
            // No name of a domain or an application has a control character. The digest is as long for every user name.
            let names = Array("\(domain)\u{1f}\(application)\u{1f}\(user)".utf8)
            digest = DigestAlgorithm.sha256.digest(names.span)
        }
    }

    private let attempts = Mutex<[Key: LoginAttempts]>([:])
    private let capacity: Int

    package init(capacity: Int = 65_536) { self.capacity = capacity }

    package func isLocked(_ key: Key, now: Int64) -> Bool {
        attempts.withLock { $0[key]?.isLocked(at: now) ?? false }
    }

    /// A password was wrong. Answers how many more may be.
    package func fail(_ key: Key, maximum: Int64, lockoutSeconds: Int64, now: Int64) -> Int64 {
        attempts.withLock { attempts in
            if attempts[key] == nil, attempts.count >= capacity { makeRoom(in: &attempts, now: now) }
            return attempts[key, default: LoginAttempts()]
                .fail(maximum: maximum, lockoutSeconds: lockoutSeconds, now: now)
        }
    }

    /// The password was right, or an administrator says that it starts anew.
    @discardableResult
    package func forget(_ key: Key) -> Bool { attempts.withLock { $0.removeValue(forKey: key) != nil } }

    private func makeRoom(in attempts: inout [Key: LoginAttempts], now: Int64) {
        attempts = attempts.filter { $0.value.lockedUntil > now }
        // All of them are locked: one goes, and is locked again after as many failures as before.
        if attempts.count >= capacity, let any = attempts.keys.first { attempts[any] = nil }
    }
}
