import Bytes
import Synchronization

/// Negative cache of tokens that the store does not know: a client that keeps using an old token causes at most one
/// lookup a second.
///
/// It hides no token that is issued in the meantime, here or by another process: it holds only texts in the form of
/// generated tokens, which are 128 random bits and cannot be requested before they exist. A manual token (AOM-18) may
/// have that form too; setting one removes it here, and other processes forget it after a second.
final class UnknownTokens: Sendable {
    /// Seconds without another lookup, including the second of the lookup.
    static let seconds: Int64 = 1
    static let capacity = 4096

    /// Digests, with the time of the next lookup in seconds since 1970.
    private let entries = Mutex<[[UInt8]: Int64]>([:])

    /// Whether a token looks like those that `TokenPair` makes.
    static func canHold(_ token: Span<UInt8>) -> Bool {
        guard token.count == 36 else { return false }
        for i in token.indices {
            let isDash = [8, 13, 18, 23].contains(i)
            guard isDash ? token[i] == UInt8(ascii: "-") : isDigit(token[i]) else { return false }
        }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// - Parameter now: seconds since 1970.
    func holds(_ digest: [UInt8], now: Int64) -> Bool {
        // An entry does not outlast a clock that was set back.
        entries.withLock { $0[digest].map { now < $0 && $0 <= now + UnknownTokens.seconds } ?? false }
    }

    /// - Parameter now: time of the lookup in seconds since 1970.
    func note(_ digest: [UInt8], now: Int64) {
        entries.withLock { entries in
            if entries.count >= UnknownTokens.capacity { entries = entries.filter { now < $0.value } }
            // A client that sends a new invented token each time would fill the cache.
            if entries.count >= UnknownTokens.capacity { entries = [:] }
            entries[digest] = now + UnknownTokens.seconds
        }
    }

    func forget(_ digest: [UInt8]) { entries.withLock { entries in _ = entries.removeValue(forKey: digest) } }
}
