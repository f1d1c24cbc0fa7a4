import COpenSSL
import Synchronization

/// The keys of session tickets (RFC 5077, RFC 8446 section 4.6.1): random, never stored, and rotated, since a stolen
/// key decrypts the recorded sessions of its time.
///
/// All workers and later configurations share one object, so that sessions can be resumed on every worker and after a
/// change of certificates.
package final class TLSTicketKeys: Sendable {
    /// How long a key encrypts; it decrypts for twice as long.
    package let rotation: Duration

    private let state: Mutex<State>

    fileprivate struct State {
        var current: TicketKey
        var previous: TicketKey?
        var since: ContinuousClock.Instant
    }

    /// Maximum lifetime of a session (RFC 8446 section 4.6.1).
    private static let longestLife = 604_800

    /// Fresh keys; nil for a rotation of 0, which means no tickets.
    package init?(rotation: Duration, now: ContinuousClock.Instant = .now) {
        guard rotation > .zero else { return nil }
        self.rotation = rotation
        state = Mutex(State(current: TicketKey(), previous: nil, since: now))
    }

    /// How long a session may be resumed, in seconds.
    var sessionLife: Int { Int(min(max(rotation.components.seconds, 1), Int64(TLSTicketKeys.longestLife))) }

    /// Rotates keys that are due. Every handshake does so.
    package func advance(to now: ContinuousClock.Instant) {
        state.withLock { $0.advance(to: now, rotation) }
    }

    /// The current encryption key.
    func sealing(at now: ContinuousClock.Instant) -> TicketKey {
        state.withLock { state in
            state.advance(to: now, rotation)
            return state.current
        }
    }

    /// The key of this name, and whether it still encrypts; nil once it has expired.
    func opening(_ name: [UInt8], at now: ContinuousClock.Instant) -> (key: TicketKey, isCurrent: Bool)? {
        state.withLock { state in
            state.advance(to: now, rotation)
            if state.current.name == name { return (state.current, true) }
            if let previous = state.previous, previous.name == name { return (previous, false) }
            return nil
        }
    }
}

extension TLSTicketKeys.State {
    mutating func advance(to now: ContinuousClock.Instant, _ rotation: Duration) {
        guard now >= since + rotation else { return }
        // After two rotations without use, both keys have expired.
        previous = now < since + rotation + rotation ? current : nil
        current = TicketKey()
        since = now
    }
}

/// A ticket key with its name in tickets.
struct TicketKey: Sendable {
    static let nameLength = 16
    static let ivLength = 16
    private static let keyLength = 32

    let name = SecureRandom.bytes(nameLength)
    private let cipherKey = SecureRandom.bytes(keyLength)
    private let macKey = SecureRandom.bytes(keyLength)

    /// Initialises libssl's contexts with the key; returns false if libcrypto fails.
    func ready(_ cipher: OpaquePointer, _ mac: OpaquePointer, iv: UnsafePointer<UInt8>, seals: Bool) -> Bool {
        // SAFETY: both keys are copied during the call; the second is not written to, despite its type.
        unsafe cipherKey.span.withBytes { cipherKey, _ in
            unsafe macKey.span.withBytes { macKey, count in
                let mutableKey = unsafe UnsafeMutablePointer(mutating: macKey)
                return unsafe copenssl_ready_ticket(cipher, mac, cipherKey, mutableKey, count, iv, seals ? 1 : 0) == 1
            }
        }
    }
}
