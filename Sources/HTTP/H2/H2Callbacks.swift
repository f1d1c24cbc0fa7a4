import CNghttp2
import Model

/// The wrapper of libnghttp2: owns the library's session, feeds it bytes, and forwards its callbacks to an `H2Session`.
/// All unsafe code of HTTP/2 is in this type.
@safe
struct H2Callbacks: ~Copyable {
    // SAFETY: `handle` comes from nghttp2_session_*_new, is deleted in `deinit` and never leaves this type. The library
    // keeps two kinds of pointers of ours: to the H2Session, which owns this value and so outlives the handle, and to
    // H2Streams, each of which its session holds from its opening until the library has reported it closed.
    let handle: OpaquePointer
    let isServer: Bool

    init(isServer: Bool, limits: H2Limits) {
        var callbacks: OpaquePointer?
        var created: OpaquePointer?
        let options = unsafe cnghttp2_options(limits.headerTableSize, limits.maximumQueuedFrames)
        // SAFETY: both objects are ours and copied from by the library.
        unsafe nghttp2_session_callbacks_new(&callbacks)
        guard let callbacks = unsafe callbacks, let options = unsafe options else { fatalError("out of memory") }
        unsafe Self.listen(callbacks)
        if isServer {
            unsafe nghttp2_session_server_new2(&created, callbacks, nil, options)
        } else {
            unsafe nghttp2_session_client_new2(&created, callbacks, nil, options)
        }
        unsafe nghttp2_session_callbacks_del(callbacks)
        unsafe nghttp2_option_del(options)
        guard let created = unsafe created else { fatalError("out of memory") }
        unsafe handle = created
        self.isServer = isServer
    }

    deinit { unsafe nghttp2_session_del(handle) }

    /// Sets the session for the callbacks, which owns this value.
    func work(for session: H2Session) {
        unsafe nghttp2_session_set_user_data(handle, Unmanaged.passUnretained(session).toOpaque())
    }

    /// Feeds the library. Returns a negative error code of the library if the connection has failed.
    func receive(_ bytes: Span<UInt8>) -> Int {
        // SAFETY: the library reads the bytes during the call alone.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe nghttp2_session_mem_recv(handle, buffer.baseAddress, buffer.count)
        }
    }

    /// The failure for a negative result of `receive`.
    static func failure(_ answer: Int) -> H2Failure {
        switch Int32(truncatingIfNeeded: answer) {
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .notHTTP2
        case NGHTTP2_ERR_FLOODED.rawValue: .queueFlood
        case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .continuationFlood
        default: .internalError
        }
    }

    var wantsRead: Bool { unsafe nghttp2_session_want_read(handle) != 0 }
    var wantsWrite: Bool { unsafe nghttp2_session_want_write(handle) != 0 }
    var queuedFrames: Int { unsafe nghttp2_session_get_outbound_queue_size(handle) }
    /// The last stream of the peer that was processed.
    var lastStream: Int32 { unsafe nghttp2_session_get_last_proc_stream_id(handle) }
    /// The peer's limit of concurrent streams.
    var peerStreams: Int {
        Int(unsafe nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }
    /// Whether the peer supports extended CONNECT (RFC 8441 section 3).
    var peerTakesExtendedConnect: Bool {
        unsafe nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }
    /// Whether a stream may be opened: ids are left and no GOAWAY was received.
    var requestAllowed: Bool { unsafe nghttp2_session_check_request_allowed(handle) != 0 }

    /// The stream of this id; nil if it is closed or was never opened.
    func stream(_ id: Int32) -> H2Stream? { unsafe Self.stream(handle, id) }

    private static func stream(_ handle: OpaquePointer, _ id: Int32) -> H2Stream? {
        guard id > 0, let pointer = unsafe nghttp2_session_get_stream_user_data(handle, id) else { return nil }
        // SAFETY: set by `adopt` or `request` to a stream that its session holds while the library knows it.
        return unsafe Unmanaged<H2Stream>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Attaches the object to the library's stream.
    func adopt(_ stream: H2Stream) {
        let pointer = unsafe Unmanaged.passUnretained(stream).toOpaque()
        unsafe nghttp2_session_set_stream_user_data(handle, stream.id, pointer)
        _ = unsafe cnghttp2_share_evenly(handle, stream.id)
    }

    /// Calls the session without retaining it, which would cost time for each field: its owner retains it during the
    /// call.
    static func session<Answer>(_ pointer: UnsafeMutableRawPointer?, _ body: (H2Session) -> Answer) -> Answer {
        // SAFETY: set by `work(for:)`, before the library is given anything to do, and held as said.
        unsafe Unmanaged<H2Session>.fromOpaque(pointer!)._withUnsafeGuaranteedRef { body($0) }
    }

    private static func span(_ pointer: UnsafePointer<UInt8>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: pointer, count: count)
    }

    private static var failed: Int32 { NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }

    // SAFETY of all callbacks: the library passes pointers that live for the call, and the session is its user data.
    private static func listen(_ callbacks: OpaquePointer) {
        unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { handle, header, user in
            guard let handle = unsafe handle, let header = unsafe header?.pointee else { return 0 }
            let frame = H2FrameHeader(header)
            let known = frame.type == .reset ? unsafe H2Callbacks.stream(handle, header.stream_id) : nil
            return unsafe H2Callbacks.session(user) { $0.frameBegan(frame, known) } ? 0 : H2Callbacks.failed
        }
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { handle, frame, user in
            guard let handle = unsafe handle, let frame = unsafe frame else { return 0 }
            let known = unsafe H2Callbacks.stream(handle, frame.pointee.hd.stream_id)
            let id = unsafe frame.pointee.hd.stream_id
            unsafe H2Callbacks.session(user) { $0.blockBegan(id, known) }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, valueCount, _, user in
            let goesOn = unsafe H2Callbacks.session(user) {
                unsafe $0.fieldReceived(
                    H2Callbacks.span(name, nameCount).span, H2Callbacks.span(value, valueCount).span)
            }
            return goesOn ? 0 : H2Callbacks.failed
        }
        unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, _, _, _, _, _, _, user in
            unsafe H2Callbacks.session(user) { $0.fieldRefused() }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { handle, frame, user in
            guard let handle = unsafe handle, let frame = unsafe frame else { return 0 }
            let header = H2FrameHeader(unsafe cnghttp2_summary(frame))
            let known = unsafe H2Callbacks.stream(handle, header.stream)
            return unsafe H2Callbacks.session(user) { $0.frameReceived(header, known) } ? 0 : H2Callbacks.failed
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            handle, _, id, bytes, count, user in
            guard let handle = unsafe handle, let known = unsafe H2Callbacks.stream(handle, id) else {
                return H2Callbacks.failed
            }
            unsafe H2Callbacks.session(user) { unsafe $0.bodyReceived(known, H2Callbacks.span(bytes, count).span) }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { handle, id, code, user in
            guard let handle = unsafe handle, let known = unsafe H2Callbacks.stream(handle, id) else { return 0 }
            unsafe nghttp2_session_set_stream_user_data(handle, id, nil)
            unsafe H2Callbacks.session(user) { $0.streamClosed(known, code: code) }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { handle, frame, user in
            guard let handle = unsafe handle, let frame = unsafe frame else { return 0 }
            let header = H2FrameHeader(unsafe cnghttp2_summary(frame))
            let known = unsafe H2Callbacks.stream(handle, header.stream)
            return unsafe H2Callbacks.session(user) { $0.frameSent(header, known) } ? 0 : H2Callbacks.failed
        }
        unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { handle, frame, _, user in
            guard let handle = unsafe handle, let frame = unsafe frame else { return 0 }
            let header = H2FrameHeader(unsafe cnghttp2_summary(frame))
            guard let known = unsafe H2Callbacks.stream(handle, header.stream) else { return 0 }
            unsafe H2Callbacks.session(user) { $0.frameNotSent(header, known) }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, header, count, source, user in
            guard let pointer = unsafe source?.pointee.ptr else { return H2Callbacks.failed }
            // SAFETY: set by `bodySource`; the library frames only streams that it knows.
            let stream = unsafe Unmanaged<H2Stream>.fromOpaque(pointer).takeUnretainedValue()
            unsafe H2Callbacks.session(user) {
                unsafe $0.frameBody(of: stream, header: H2Callbacks.span(header, 9).span, count: count)
            }
            return 0
        }
    }
}
