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
    /// Seconds of the clock that attempts are counted by; 0 for never.
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
            // Servers that know passwords often take JOE for joe: one count for both.
            let names =
                Array("\(domain)\u{1f}\(application)\u{1f}".utf8)
                + user.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
            digest = DigestAlgorithm.sha256.digest(names.span)
        }
    }

    /// What becomes of an attempt.
    package enum Verdict: Sendable, Equatable {
        case admitted
        case locked
        /// As many passwords are being looked at as may be wrong.
        case busy
    }

    private struct Entry {
        var attempts = LoginAttempts()
        /// The passwords that are being looked at, by digest: how often, and since when.
        var underWay: [[UInt8]: (count: Int, since: Int64)] = [:]

        var saysNothing: Bool { underWay.isEmpty && attempts == LoginAttempts() }

        mutating func end(_ guess: [UInt8]) {
            guard let known = underWay[guess] else { return }
            underWay[guess] = known.count > 1 ? (known.count - 1, known.since) : nil
        }
    }

    /// What is under way for longer was given up by whoever began it.
    private static let patienceSeconds: Int64 = 60

    private let entries = Mutex<[Key: Entry]>([:])
    private let capacity: Int
    /// How many have made room by themselves since all entries were looked at last.
    private let sinceSweep = Atomic<Int>(.max)

    private let clock: SteadyClock

    /// - Parameter clock: of a gateway, the system's.
    package init(capacity: Int = 65_536, clock: SteadyClock = .ofCaller) {
        self.capacity = capacity
        self.clock = clock
    }

    package func isLocked(_ key: Key, now: Int64) -> Bool {
        let now = clock.seconds(now)
        return entries.withLock { $0[key]?.attempts.isLocked(at: now) ?? false }
    }

    /// Counts a password before it is looked at, so that of many at a time no more are looked at than may be wrong. One
    /// that comes many times at a time is a single guess.
    ///
    /// - Parameter guess: a digest of the password.
    package func begin(_ key: Key, guess: [UInt8], maximum: Int64, now: Int64) -> Verdict {
        let now = clock.seconds(now)
        return entries.withLock { entries in
            if entries[key] == nil, entries.count >= capacity { makeRoom(in: &entries, now: now) }
            var entry = entries[key] ?? Entry()
            defer { entries[key] = entry }
            if entry.attempts.isLocked(at: now) { return .locked }
            entry.underWay = entry.underWay.filter { now - $0.value.since < LoginAttemptTable.patienceSeconds }
            // Whoever is not locked has one try, whatever other calls have allowed before.
            if entry.underWay[guess] == nil, !entry.underWay.isEmpty,
                entry.attempts.failures + Int64(entry.underWay.count) >= maximum
            {
                return .busy
            }
            entry.underWay[guess] = ((entry.underWay[guess]?.count ?? 0) + 1, now)
            return .admitted
        }
    }

    /// A password that was admitted is no failure: it was right, or nothing was learned of it.
    /// - Parameter isLogin: whether the user is in, so that failures count from the beginning.
    package func end(_ key: Key, guess: [UInt8], isLogin: Bool) {
        entries.withLock { entries in
            guard var entry = entries[key] else { return }
            entry.end(guess)
            if isLogin { entry.attempts = LoginAttempts() }
            entries[key] = entry.saysNothing ? nil : entry
        }
    }

    /// A password was wrong. Answers how many more may be.
    package func fail(
        _ key: Key, guess: [UInt8]? = nil, maximum: Int64, lockoutSeconds: Int64, now: Int64
    ) -> Int64 {
        let now = clock.seconds(now)
        return entries.withLock { entries in
            if entries[key] == nil, entries.count >= capacity { makeRoom(in: &entries, now: now) }
            var entry = entries[key] ?? Entry()
            if let guess { entry.end(guess) }
            defer { entries[key] = entry }
            return entry.attempts.fail(maximum: maximum, lockoutSeconds: lockoutSeconds, now: now)
        }
    }

    /// The password was right, or an administrator says that it starts anew.
    @discardableResult
    package func forget(_ key: Key) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }

    private func makeRoom(in entries: inout [Key: Entry], now: Int64) {
        // To look at all of them costs as much as a thousand new users, and that many come first.
        if sinceSweep.load(ordering: .relaxed) >= capacity / 64 {
            sinceSweep.store(0, ordering: .relaxed)
            entries = entries.filter { $0.value.attempts.lockedUntil > now || !$0.value.underWay.isEmpty }
        }
        guard entries.count >= capacity else { return }
        sinceSweep.add(1, ordering: .relaxed)
        // One goes all the same, if need be one that is locked: that is so again after as many failures as before.
        let free = entries.prefix(64).first { $0.value.attempts.lockedUntil <= now && $0.value.underWay.isEmpty }
        if let key = free?.key ?? entries.keys.first { entries[key] = nil }
    }
}
