import Bytes
import COpenSSL
import Synchronization

/// The last session with each server, to be resumed.
final class TLSSessionCache: Sendable {
    /// More servers than a context has; should names vary without end, the cache starts over.
    private static let capacity = 256

    private let sessions = Mutex<[String: SavedSession]>([:])

    /// Keeps a copy of a session for the next connection.
    func save(_ session: OpaquePointer, for name: String) {
        guard let saved = unsafe SavedSession(copying: session) else { return }
        sessions.withLock { sessions in
            if sessions.count >= TLSSessionCache.capacity && sessions[name] == nil { sessions.removeAll() }
            sessions[name] = saved
        }
    }

    /// Offers the last session with a server to a new connection.
    func offer(to ssl: OpaquePointer, for name: String) {
        let saved = sessions.withLock { $0[name] }
        // A copy for each connection, since libssl changes a session that is in use without any lock.
        guard let own = saved.flatMap({ unsafe SavedSession(copying: $0.pointer) }) else { return }
        unsafe SSL_set_session(ssl, own.pointer)
        OpenSSLLibrary.clearErrors()
    }

    /// Forgets the session with a server: it may be why a connection broke.
    func forget(_ name: String) { sessions.withLock { _ = $0.removeValue(forKey: name) } }
}

/// A session's secrets and parameters, at rest.
@safe
final class SavedSession: @unchecked Sendable {
    // SAFETY: nobody changes the copy made in `init`, so any number of threads may copy it in turn; freed in `deinit`.
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
