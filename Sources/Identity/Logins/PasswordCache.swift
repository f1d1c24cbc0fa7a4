import Bytes
import Crypto
import Synchronization

/// Credentials whose password was right a short while ago, so that a client that sends it with each request is not
/// charged a slow hash each time (BASIC-05). Kept as keyed digests, and with the users they were checked against: another
/// configuration has a cache of its own, and an old password ends with the old one.
///
/// In the last quarter of its time a credential is due: one of its requests has it checked again, without waiting for it,
/// so that those in constant use never wait.
package final class PasswordCache: Sendable {
    /// A credential that was right.
    package struct Known: Sendable {
        package let principal: Principal
        /// Whether this caller is the one that has the password checked again.
        package let isDue: Bool
    }

    private struct Entry {
        var principal: Principal
        var term: CacheTerm
        /// When the next caller has the password checked again.
        var dueAt: Int64
    }

    /// After which a check is taken for one that will not end.
    private static let checkSeconds: Int64 = 5

    private let entries = Mutex<[[UInt8]: Entry]>([:])
    private let key = SecureRandom.bytes(32)
    private let seconds: Int64
    private let capacity: Int

    /// - Parameters:
    ///   - seconds: how long a password is remembered; 0 for not at all.
    ///   - capacity: how many are.
    package init(seconds: Int64, capacity: Int = 4096) {
        self.seconds = seconds
        self.capacity = capacity
    }

    /// What a credential is known by.
    ///
    /// - Parameters:
    ///   - credential: as it came.
    ///   - context: what else it depends on, of a length that no credential changes.
    package func digest(of credential: Span<UInt8>, context: UInt64) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(8 + credential.count)
        for shift in stride(from: UInt64(0), to: 64, by: 8) { text.append(UInt8(truncatingIfNeeded: context >> shift)) }
        for i in credential.indices { text.append(credential[i]) }
        let key = key
        let digest = DigestAlgorithm.sha256.hmac(key: key.span, text.span)
        return digest
    }

    /// Whose it is, if that is remembered.
    package func known(_ digest: [UInt8], now: Int64) -> Known? {
        entries.withLock { entries in
            guard let entry = entries[digest] else { return nil }
            guard entry.term.covers(now) else {
                entries[digest] = nil
                return nil
            }
            let isDue = now >= entry.dueAt
            if isDue { entries[digest]?.dueAt = now + PasswordCache.checkSeconds }
            return Known(principal: entry.principal, isDue: isDue)
        }
    }

    /// Forgets a password that is not right any more.
    package func forget(_ digest: [UInt8]) { entries.withLock { $0[digest] = nil } }

    /// Forgets all passwords of a user.
    package func forget(_ subject: String) {
        entries.withLock { entries in
            entries = entries.filter { !$0.value.principal.subject.isExactly(subject) }
        }
    }

    /// Remembers that a password was right.
    package func insert(_ digest: [UInt8], _ principal: Principal, now: Int64) {
        guard seconds > 0 else { return }
        entries.withLock { entries in
            if entries.count >= capacity { entries = entries.filter { $0.value.term.covers(now) } }
            // Full of what is still good: one goes, whichever it is.
            if entries.count >= capacity, let any = entries.keys.first { entries[any] = nil }
            entries[digest] = Entry(
                principal: principal, term: CacheTerm(from: now, seconds: seconds), dueAt: now + seconds - seconds / 4)
        }
    }
}
