import Crypto
import Synchronization

/// The ticket keys of the listeners, which outlive configurations: a session that began before a reload is resumed after
/// it.
final class TicketKeyring: Sendable {
    private let keys = Mutex<[String: TLSTicketKeys]>([:])

    /// The keys of a listener; nil for a rotation of zero, which means no tickets.
    func keys(ofListener name: String, rotation: Duration) -> TLSTicketKeys? {
        keys.withLock { keys in
            if let known = keys[name], known.rotation == rotation { return known }
            keys[name] = TLSTicketKeys(rotation: rotation)
            return keys[name]
        }
    }
}
