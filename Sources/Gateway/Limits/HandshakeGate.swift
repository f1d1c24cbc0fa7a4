import Synchronization

/// Limits TLS handshakes per second in the process. Each costs a signature, which dominates the cost of a connection.
final class HandshakeGate: Sendable {
    /// The bucket, as in `BucketTable`: nanoseconds until it has refilled.
    private let used = Mutex<Int64>(0)

    /// - Parameters:
    ///   - limit: handshakes per second, and the burst size; 0 for no limit.
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
