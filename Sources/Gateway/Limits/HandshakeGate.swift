import Synchronization

/// How many TLS handshakes of the process may begin in a second. Each costs a signature, which is most of what a
/// connection costs at all.
final class HandshakeGate: Sendable {
    /// The bucket, as in `BucketTable`: nanoseconds until when what was taken lasts.
    private let used = Mutex<Int64>(0)

    /// - Parameters:
    ///   - limit: handshakes in a second, as many of them at once; 0 for no limit.
    ///   - now: milliseconds.
    func admit(limit: Int, now: Int64) -> Bool {
        guard limit > 0 else { return true }
        let (interval, now) = (1_000_000_000 / Int64(limit), now * 1_000_000)
        return used.withLock { used in
            let next = max(used, now) + interval
            guard next - now <= 1_000_000_000 else { return false }
            used = next
            return true
        }
    }
}
