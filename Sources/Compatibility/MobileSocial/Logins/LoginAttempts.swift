import Crypto
import Identity
import Synchronization

/// The consecutive wrong passwords of one user at one application (OMS-10).
package struct LoginAttempts: Sendable, Equatable {
    /// The maximum if neither server nor application set one.
    package static let standardMaximum: Int64 = 1

    /// The largest maximum that applications may choose, since an application may be the attacker.
    private static let largestChoice: Int64 = 10

    /// The maximum: the server's setting, or the application's within bounds.
    static func maximum(server: Int64?, merged: Int64?) -> Int64 {
        let limit = max(merged ?? 0, standardMaximum)
        return server == nil ? min(limit, largestChoice) : limit
    }

    package private(set) var failures: Int64 = 0
    /// Seconds of the steady clock; 0 for never.
    package private(set) var lockedUntil: Int64 = 0

    package init() {}

    /// Whether attempts are refused. The end of the lockout resets the count.
    package mutating func isLocked(at now: Int64) -> Bool {
        if lockedUntil > now { return true }
        if lockedUntil > 0 { self = LoginAttempts() }
        return false
    }

    /// Counts a wrong password.
    /// - Returns: the remaining attempts.
    package mutating func fail(maximum: Int64, lockoutSeconds: Int64, now: Int64) -> Int64 {
        failures += 1
        if failures < maximum { return maximum - failures }
        lockedUntil = now + lockoutSeconds
        return 0
    }
}

/// Attempts by service domain, application and user name, also for unknown users. Bounded: if it is full, users who are
/// not locked are removed first.
package final class LoginAttemptTable: Sendable {
    package struct Key: Hashable, Sendable {
        private let digest: [UInt8]

        package init(domain: String, application: String, user: String) {
            // Names of domains and applications have no control characters. A digest bounds the size. The case of ASCII
            // letters is ignored, since servers often ignore it in user names.
            let names =
                Array("\(domain)\u{1f}\(application)\u{1f}".utf8)
                + user.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
            digest = DigestAlgorithm.sha256.digest(names.span)
        }
    }

    package enum Verdict: Sendable, Equatable {
        case admitted
        case locked
        /// The passwords being checked could exceed the maximum.
        case busy
    }

    private struct Entry {
        var attempts = LoginAttempts()
        /// The passwords being checked, by digest: number of checks and time of the last start.
        var underWay: [[UInt8]: (count: Int, since: Int64)] = [:]

        var isEmpty: Bool { underWay.isEmpty && attempts == LoginAttempts() }

        mutating func end(_ guess: [UInt8]) {
            guard let known = underWay[guess] else { return }
            underWay[guess] = known.count > 1 ? (known.count - 1, known.since) : nil
        }
    }

    /// Checks that take longer have been abandoned.
    private static let checkSeconds: Int64 = 60

    private let entries = Mutex<[Key: Entry]>([:])
    private let capacity: Int
    /// Entries removed one by one since the last scan of all entries.
    private let sinceSweep = Atomic<Int>(.max)

    private let clock: SteadyClock

    package init(capacity: Int = 65_536, clock: SteadyClock = .ofCaller) {
        self.capacity = capacity
        self.clock = clock
    }

    package func isLocked(_ key: Key, now: Int64) -> Bool {
        let now = clock.seconds(now)
        return entries.withLock { $0[key]?.attempts.isLocked(at: now) ?? false }
    }

    /// Counts a password before the check, so that concurrent checks cannot exceed the maximum. Equal concurrent
    /// passwords count once.
    ///
    /// - Parameter guess: a digest of the password.
    package func begin(_ key: Key, guess: [UInt8], maximum: Int64, now: Int64) -> Verdict {
        let now = clock.seconds(now)
        return entries.withLock { entries in
            if entries[key] == nil, entries.count >= capacity { makeRoom(in: &entries, now: now) }
            var entry = entries[key] ?? Entry()
            defer { entries[key] = entry }
            if entry.attempts.isLocked(at: now) { return .locked }
            entry.underWay = entry.underWay.filter { now - $0.value.since < LoginAttemptTable.checkSeconds }
            // A user who is not locked has at least one attempt.
            if entry.underWay[guess] == nil, !entry.underWay.isEmpty,
                entry.attempts.failures + Int64(entry.underWay.count) >= maximum
            {
                return .busy
            }
            entry.underWay[guess] = ((entry.underWay[guess]?.count ?? 0) + 1, now)
            return .admitted
        }
    }

    /// Ends the check of a password that was right or was not checked.
    /// - Parameter isLogin: whether the login is complete, which resets the count.
    package func end(_ key: Key, guess: [UInt8], isLogin: Bool) {
        entries.withLock { entries in
            guard var entry = entries[key] else { return }
            entry.end(guess)
            if isLogin { entry.attempts = LoginAttempts() }
            entries[key] = entry.isEmpty ? nil : entry
        }
    }

    /// Counts a wrong password.
    /// - Returns: the remaining attempts.
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

    /// Resets the count.
    /// - Returns: whether there was one.
    @discardableResult
    package func forget(_ key: Key) -> Bool { entries.withLock { $0.removeValue(forKey: key) != nil } }

    private func makeRoom(in entries: inout [Key: Entry], now: Int64) {
        // A scan of all entries is amortised over many removals of one entry.
        if sinceSweep.load(ordering: .relaxed) >= capacity / 64 {
            sinceSweep.store(0, ordering: .relaxed)
            entries = entries.filter { $0.value.attempts.lockedUntil > now || !$0.value.underWay.isEmpty }
        }
        guard entries.count >= capacity else { return }
        sinceSweep.add(1, ordering: .relaxed)
        // One entry is removed in any case, if necessary a locked one.
        let free = entries.prefix(64).first { $0.value.attempts.lockedUntil <= now && $0.value.underWay.isEmpty }
        if let key = free?.key ?? entries.keys.first { entries[key] = nil }
    }
}
