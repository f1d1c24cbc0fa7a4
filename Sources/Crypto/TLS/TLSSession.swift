import Bytes
import COpenSSL
import Glibc
import Model

/// The state of a session after a call.
package enum TLSState: Sendable, Equatable {
    /// The handshake is under way.
    case opening
    /// Data can pass in both directions.
    case open
    /// The peer has sent close_notify: no more data follows, and none is missing. Sending still works.
    case ended
    /// The session has failed, see `failure`. The output of the last call, an alert, must still be sent.
    case failed
}

/// The role of a session, with its context.
enum TLSSide {
    case server(TLSServerContext)
    case client(TLSClientContext)

    fileprivate var object: TLSContextObject {
        switch self {
        case .server(let context): context.object
        case .client(let context): context.object
        }
    }
}

/// One TLS connection without I/O: bytes in, bytes out.
///
/// A session belongs to one thread at a time.
@safe
package final class TLSSession {
    // SAFETY: an SSL object made in `init` and freed in `deinit`; nothing else has the pointer. Callbacks find the way
    // back by an unretained pointer to this session, and only run inside its calls.
    private let ssl: OpaquePointer
    private let side: TLSSide

    package private(set) var state = TLSState.opening
    /// Why the session is in the state `failed`.
    package private(set) var failure: TLSFailure?
    /// The server name: on a server, the requested name in lower case, if any; on a client, the verified name of the
    /// server.
    package internal(set) var serverName: String?

    // The chunks of the current call.
    private var received: Chunk?
    private var wire: Chunk?

    /// Records since the last content.
    private var quietRecords = 0
    /// Limit of consecutive records without content: tickets and key updates are rare, and a flood of them would cost a
    /// key derivation each (RFC 8446 section 4.6.3).
    private static let maximumQuietRecords = 32

    private var sentBytes = 0
    /// Until this many bytes are sent, records are short, so that a browser can use the first one during TCP's slow
    /// start.
    private static let gentleStart = 65_536
    private static let shortRecord = 4096
    private static let longRecord = 16_384
    /// Upper bound of a record's overhead: header, nonce, tag, content type.
    private static let recordOverhead = 64

    /// Creates a session; nil if libssl fails.
    init?(_ side: TLSSide, serverName: String?) {
        guard let ssl = unsafe SSL_new(side.object.pointer) else {
            OpenSSLLibrary.clearErrors()
            return nil
        }
        unsafe self.ssl = ssl
        self.side = side
        self.serverName = serverName
        // SAFETY: from here on `deinit` frees the object and with it the wire, which is handed over.
        guard let wire = unsafe TLSWire.make(for: self),
            unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
        else { return nil }
        unsafe SSL_set_bio(ssl, wire, wire)
        unsafe SSL_set_msg_callback(ssl) { isSent, _, contentType, _, _, ssl, _ in
            if isSent == 0 && contentType == SSL3_RT_HEADER { unsafe TLSSession.of(ssl)?.quietRecords &+= 1 }
        }
        switch side {
        case .server: unsafe SSL_set_accept_state(ssl)
        case .client(let context):
            guard let serverName, unsafe context.prepare(ssl, serverName: serverName) else {
                OpenSSLLibrary.clearErrors()
                return nil
            }
        }
    }

    deinit {
        // Only a failed connection invalidates its session for resumption, not one without close_notify.
        if state != .failed { unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        unsafe SSL_free(ssl)
        OpenSSLLibrary.clearErrors()
    }

    /// Whether decrypted bytes wait for room in `plain`.
    package var hasMore: Bool { state == .open && pending > 0 }

    private var pending: Int32 { unsafe SSL_pending(ssl) }

    /// Starts the handshake: a client appends its ClientHello to the wire.
    package func start(replying wire: Chunk) -> TLSState {
        guard state == .opening else { return state }
        return shakeHands(nil, wire)
    }

    /// Processes received bytes.
    ///
    /// - Parameters:
    ///   - received: consumed as far as `plain` has room.
    ///   - plain: gets at most its free bytes; without free bytes, only the handshake continues.
    ///   - wire: gets handshake messages and alerts; grows as needed.
    package func receive(_ received: Chunk, into plain: Chunk, replying wire: Chunk) -> TLSState {
        if state == .opening { _ = shakeHands(received, wire) }
        if state == .open { read(received, into: plain, wire) }
        // Data after close_notify is ignored (RFC 8446 section 6.1).
        if state == .ended || state == .failed { received.consume(received.count) }
        return state
    }

    /// Encrypts all of `plain` into records on the wire, which grows as needed.
    package func send(_ plain: Chunk, into wire: Chunk) -> TLSState {
        guard state == .open || state == .ended else { return state }
        let records = plain.count / TLSSession.shortRecord &+ 1
        wire.ensureFree(plain.count &+ records &* TLSSession.recordOverhead)
        begin(nil, wire)
        defer { end() }
        while !plain.isEmpty {
            let most = sentBytes < TLSSession.gentleStart ? TLSSession.shortRecord : TLSSession.longRecord
            let count = min(plain.count, most)
            // SAFETY: libssl reads `count` readable bytes of the chunk during the call.
            let written = unsafe SSL_write(ssl, plain.readablePointer, Int32(count))
            guard written > 0 else {
                fail(after: written)
                return state
            }
            plain.consume(Int(written))
            sentBytes &+= Int(written)
        }
        return state
    }

    /// Appends close_notify to the wire, if the session is open.
    package func finish(into wire: Chunk) {
        guard state == .open || state == .ended else { return }
        begin(nil, wire)
        defer { end() }
        if unsafe SSL_shutdown(ssl) < 0 { OpenSSLLibrary.clearErrors() }
    }

    /// Handles the end of the transport, which is a failure without close_notify.
    package func transportEnded() -> TLSState {
        if state == .opening || state == .open { fail(.closed) }
        return state
    }

    private func shakeHands(_ received: Chunk?, _ wire: Chunk) -> TLSState {
        begin(received, wire)
        defer { end() }
        let result = unsafe SSL_do_handshake(ssl)
        guard result == 1 else {
            fail(after: result)
            return state
        }
        quietRecords = 0
        // Certificate verification leaves error entries even if it succeeds.
        OpenSSLLibrary.clearErrors()
        state = .open
        saveRenewedTicket()
        checkResumption()
        return state
    }

    /// libssl does not report a replaced ticket of a resumed TLS 1.2 session.
    private func saveRenewedTicket() {
        guard case .client = side, wasResumed, version == .tls12, let session = unsafe SSL_get_session(ssl) else {
            return
        }
        unsafe save(session)
    }

    /// The certificate of a resumed session is not verified again.
    private func checkResumption() {
        guard wasResumed, let certificate = peerCertificateObject else { return }
        if serverContext?.hasExpiredList(at: Int64(time(nil))) == true {
            fail(.certificateInvalid(verifyCode: X509_V_ERR_CRL_HAS_EXPIRED))
        }
        if certificate.isExpired { fail(.certificateInvalid(verifyCode: X509_V_ERR_CERT_HAS_EXPIRED)) }
    }

    private func read(_ received: Chunk, into plain: Chunk, _ wire: Chunk) {
        begin(received, wire)
        defer { end() }
        while plain.free > 0 {
            let count = unsafe plain.fill { out, free in
                // SAFETY: libssl writes at most `free` bytes.
                unsafe Int(SSL_read(ssl, out, Int32(truncatingIfNeeded: min(free, 1 << 30))))
            }
            guard count > 0 else {
                fail(after: Int32(count))
                return
            }
            quietRecords = 0
            if received.isEmpty && pending == 0 { return }
        }
    }

    private func begin(_ received: Chunk?, _ wire: Chunk) {
        self.received = received
        self.wire = wire
        // Entries of other code in this thread's queue would be read as a failure of this session.
        if ERR_peek_error() != 0 { OpenSSLLibrary.clearErrors() }
    }

    private func end() {
        received = nil
        wire = nil
    }

    /// Evaluates the result of a call. Waiting for more data is not a failure.
    private func fail(after result: Int32) {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ where quietRecords <= TLSSession.maximumQuietRecords || state == .opening: return
        case SSL_ERROR_ZERO_RETURN:
            // A close_notify during the handshake is a cancellation by the peer.
            if state == .opening { fail(.closed) } else { state = .ended }
        default:
            let isFlood = state == .open && quietRecords > TLSSession.maximumQuietRecords
            let cause = unsafe TLSFailure.takeFromQueue(
                verifyResult: SSL_get_verify_result(ssl), isOpening: state == .opening)
            fail(isFlood ? .flood : cause)
        }
        OpenSSLLibrary.clearErrors()
    }

    private func fail(_ cause: TLSFailure) {
        // The resumed session may be the cause of a failed handshake.
        if state == .opening, case .client(let context) = side, let serverName {
            context.handshakeFailed(serverName: serverName)
        }
        failure = cause
        state = .failed
    }
}

extension TLSSession {
    /// Passes received bytes to libssl; 0 for none now, nil to end a flood.
    func supply(_ out: UnsafeMutablePointer<CChar>, _ capacity: Int) -> Int? {
        if state == .open && quietRecords > TLSSession.maximumQuietRecords { return nil }
        guard let received else { return 0 }
        let count = min(capacity, received.count)
        // SAFETY: both sides have `count` bytes, and are different memory.
        unsafe UnsafeMutableRawPointer(out).copyMemory(from: received.readablePointer, byteCount: count)
        received.consume(count)
        return count
    }

    /// Takes output of libssl; false outside of a call.
    func emit(_ bytes: UnsafePointer<CChar>, _ count: Int) -> Bool {
        guard let wire else { return false }
        wire.ensureFree(count)
        // SAFETY: the chunk has `count` free bytes by now.
        let taken = unsafe wire.fill { out, _ in
            unsafe out.copyMemory(from: bytes, byteCount: count)
            return count
        }
        return taken == count
    }
}

extension TLSSession {
    /// The negotiated application protocol, if any; known once the session is open.
    package var negotiatedProtocol: ApplicationProtocol? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        // SAFETY: the name belongs to the session and is copied here.
        unsafe SSL_get0_alpn_selected(ssl, &start, &count)
        let name = unsafe UnsafeBufferPointer(start: start, count: Int(count))
        return unsafe ApplicationProtocol(rawValue: String(decoding: name, as: UTF8.self))
    }

    /// The negotiated version.
    package var version: TLSVersion { unsafe SSL_version(ssl) == TLS1_3_VERSION ? .tls13 : .tls12 }

    /// The negotiated cipher by its registered name, such as `TLS_AES_128_GCM_SHA256`.
    package var cipher: String {
        // SAFETY: both answers are static objects.
        guard let cipher = unsafe SSL_get_current_cipher(ssl), let name = unsafe SSL_CIPHER_standard_name(cipher) else {
            return ""
        }
        return unsafe String(cString: name)
    }

    /// Whether a session was resumed.
    package var wasResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// The peer's certificate, if any, once the session is open. Parsed at every call.
    package var peerCertificate: PeerCertificate? {
        guard state == .open || state == .ended else { return nil }
        return peerCertificateObject.map { PeerCertificate($0) }
    }

    /// The same inside libcrypto, at any time.
    var peerCertificateObject: CertificateObject? {
        // SAFETY: the call counts a reference for the object that it is handed to.
        guard let pointer = unsafe SSL_get1_peer_certificate(ssl) else { return nil }
        return unsafe CertificateObject(owning: pointer)
    }

    /// The context of a server's session.
    var serverContext: TLSServerContext? {
        if case .server(let context) = side { context } else { nil }
    }

    /// Stores a client's session for resumption.
    func save(_ session: OpaquePointer) {
        if case .client(let context) = side, let serverName { unsafe context.save(session, serverName: serverName) }
    }

    /// Sets the session id context, so that sessions of another identity cannot be resumed.
    func setBoundary(_ boundary: [UInt8]) -> Bool {
        // SAFETY: libssl copies the bytes, at most 32.
        unsafe boundary.span.withBytes { start, count in
            unsafe SSL_set_session_id_context(ssl, start, UInt32(count)) == 1
        }
    }
}

@available(*, unavailable)
extension TLSSession: Sendable {}
