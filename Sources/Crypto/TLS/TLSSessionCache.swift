import Bytes
import COpenSSL
import Synchronization

/// The last session with each server, for resumption.
final class TLSSessionCache: Sendable {
    /// More servers than a context has; the cache is cleared at this limit.
    private static let capacity = 256

    private let sessions = Mutex<[String: SavedSession]>([:])

    /// Stores a copy of a session for the next connection.
    func save(_ session: OpaquePointer, for name: String) {
        guard let saved = unsafe SavedSession(copying: session) else { return }
        sessions.withLock { sessions in
            if sessions.count >= TLSSessionCache.capacity && sessions[name] == nil { sessions.removeAll() }
            sessions[name] = saved
        }
    }

    /// Offers the last session with a server to a new connection.
    func offer(to connection: OpaquePointer, for name: String) {
        let saved = sessions.withLock { $0[name] }
        // A copy for each connection, since libssl modifies sessions in use without a lock.
        guard let own = saved.flatMap({ unsafe SavedSession(copying: $0.pointer) }) else { return }
        unsafe SSL_set_session(connection, own.pointer)
        OpenSSLLibrary.clearErrors()
    }

    /// Removes the session with a server after a failed connection.
    func forget(_ name: String) { sessions.withLock { _ = $0.removeValue(forKey: name) } }
}

/// A stored session.
@safe
final class SavedSession: @unchecked Sendable {
    // SAFETY: the copy made in `init` is never changed, so that any number of threads may copy it; freed in `deinit`.
    let pointer: OpaquePointer

    init?(copying other: OpaquePointer) {
        guard let pointer = unsafe SSL_SESSION_dup(other) else {
            OpenSSLLibrary.clearErrors()
            return nil
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe SSL_SESSION_free(pointer) }
}
