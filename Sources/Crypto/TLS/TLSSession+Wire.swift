import Bytes
import COpenSSL

/// Connects libssl with the chunks of a call: libssl reads from the received chunk and writes to the output chunk
/// without intermediate buffers.
enum TLSWire {
    // SAFETY: created once, never changed afterwards and never freed. libssl calls the callbacks on the thread that
    // called into it, while the session's own call is in progress: the session is alive, and its chunks are set.
    private static let method: UInt = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "chunks") else {
            fatalError("libcrypto is out of memory")
        }
        unsafe BIO_meth_set_read(method) { wire, out, count in
            guard let wire = unsafe wire, let out = unsafe out else { return -1 }
            unsafe copenssl_wire_is_idle(wire)
            guard let session = unsafe TLSSession.of(BIO_get_data(wire)) else { return -1 }
            switch unsafe session.supply(out, Int(count)) {
            case .some(0):
                unsafe copenssl_wire_wants_input(wire)
                return -1
            case .some(let supplied): return Int32(supplied)
            case nil: return -1
            }
        }
        unsafe BIO_meth_set_write(method) { wire, bytes, count in
            guard let wire = unsafe wire, let bytes = unsafe bytes else { return -1 }
            unsafe copenssl_wire_is_idle(wire)
            guard let session = unsafe TLSSession.of(BIO_get_data(wire)) else { return -1 }
            return unsafe session.emit(bytes, Int(count)) ? count : -1
        }
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return UInt(bitPattern: method)
    }()

    /// A BIO for a session, which must outlive it.
    static func make(for session: TLSSession) -> OpaquePointer? {
        guard let wire = unsafe BIO_new(OpaquePointer(bitPattern: method)) else { return nil }
        unsafe BIO_set_data(wire, Unmanaged.passUnretained(session).toOpaque())
        unsafe BIO_set_init(wire, 1)
        return unsafe wire
    }
}

extension TLSSession {
    /// The session of a callback's pointer.
    static func of(_ pointer: UnsafeMutableRawPointer?) -> TLSSession? {
        // SAFETY: the pointer was made by `passUnretained` of a session that is in the middle of a call.
        guard let pointer = unsafe pointer else { return nil }
        return unsafe Unmanaged<TLSSession>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The session of a libssl object.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl = unsafe ssl else { return nil }
        return unsafe of(SSL_get_ex_data(ssl, 0))
    }
}
