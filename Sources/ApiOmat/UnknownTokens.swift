import Bytes
import Synchronization

/// Tokens that the store did not know a moment ago, so that a client that goes on with an old one costs it one question
/// a second.
///
/// This keeps nobody from a token that is issued in the meantime, here or by another process: only texts in the form of
/// those that we make are remembered, and these are 128 random bits. Whoever asks about one before it is made would have
/// had to guess it; and who has got one asks after it was stored. A token that was set by hand (AOM-18) may have that form
/// too, and be asked for before: where it is set it is forgotten here, and elsewhere after a second.
final class UnknownTokens: Sendable {
    /// Seconds for which the store is not asked again, that of the question included.
    static let seconds: Int64 = 1
    static let capacity = 4096

    /// By digest, with the second since 1970 from which on the store is asked again.
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
        // A clock that was put back makes nothing last.
        entries.withLock { $0[digest].map { now < $0 && $0 <= now + UnknownTokens.seconds } ?? false }
    }

    /// The store has just said that it does not know it.
    /// - Parameter now: when it was asked, in seconds since 1970.
    func note(_ digest: [UInt8], now: Int64) {
        entries.withLock { entries in
            if entries.count >= UnknownTokens.capacity { entries = entries.filter { now < $0.value } }
            // Somebody invents them, and asks for each only once.
            if entries.count >= UnknownTokens.capacity { entries = [:] }
            entries[digest] = now + UnknownTokens.seconds
        }
    }

    func forget(_ digest: [UInt8]) { entries.withLock { entries in _ = entries.removeValue(forKey: digest) } }
}
