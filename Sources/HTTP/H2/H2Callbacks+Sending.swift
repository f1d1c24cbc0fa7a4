import CNghttp2
import Model

// SAFETY of this file: the library copies settings and field lists during the call; what it keeps is in H2Callbacks.
extension H2Callbacks {
    /// Sends the first SETTINGS and widens the connection's window.
    func open(_ limits: H2Limits) {
        var settings: [nghttp2_settings_entry] = []
        func set(_ id: nghttp2_settings_id, _ value: Int) {
            settings.append(
                nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value)))
        }
        set(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, min(limits.initialWindow, Int(Int32.max)))
        set(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.head.maximumHeadBytes)
        if limits.headerTableSize != 4096 { set(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, limits.headerTableSize) }
        if isServer {
            set(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.maximumStreams)
            // RFC 8441 section 3
            if limits.acceptsTunnels { set(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1) }
            // RFC 9218 section 2.1
            set(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1)
        } else {
            set(NGHTTP2_SETTINGS_ENABLE_PUSH, 0)
        }
        let window = Int32(clamping: max(limits.connectionWindow, 65_535))
        unsafe nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        unsafe nghttp2_session_set_local_window_size(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, window)
    }

    /// Lets the library write frames into the chunk; excess bytes go to `spill`. Returns false if the connection has
    /// failed.
    ///
    /// Bodies are written to the same chunk by `H2Session.frameBody`.
    func produce(_ room: () -> Int, _ write: (Span<UInt8>) -> Void) -> Bool {
        while room() > 0 {
            var bytes: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(handle, &bytes)
            if count < 0 { return false }
            if count == 0 { return true }
            // SAFETY: valid until the next call of mem_send.
            unsafe write(UnsafeBufferPointer(start: bytes, count: count).span)
        }
        return true
    }

    /// Sends a response head, with `ended` as the last frame of the stream.
    func respond(_ stream: H2Stream, _ fields: borrowing H2FieldVector, ended: Bool) -> Bool {
        if ended { return unsafe nghttp2_submit_response(handle, stream.id, fields.base, fields.count, nil) == 0 }
        var source = unsafe bodySource(stream)
        return unsafe nghttp2_submit_response(handle, stream.id, fields.base, fields.count, &source) == 0
    }

    func interim(_ stream: H2Stream, _ fields: borrowing H2FieldVector) -> Bool {
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        return unsafe nghttp2_submit_headers(handle, flags, stream.id, nil, fields.base, fields.count, nil) == 0
    }

    func trailers(_ stream: H2Stream, _ fields: borrowing H2FieldVector) -> Bool {
        unsafe nghttp2_submit_trailer(handle, stream.id, fields.base, fields.count) == 0
    }

    /// Opens a stream and returns its id; nil if none is left.
    func request(_ stream: H2Stream, _ fields: borrowing H2FieldVector, ended: Bool) -> Int32? {
        let user = unsafe Unmanaged.passUnretained(stream).toOpaque()
        var source = unsafe bodySource(stream)
        let id =
            ended
            ? unsafe nghttp2_submit_request(handle, nil, fields.base, fields.count, nil, user)
            : unsafe nghttp2_submit_request(handle, nil, fields.base, fields.count, &source, user)
        return id > 0 ? id : nil
    }

    func resume(_ stream: H2Stream) { unsafe nghttp2_session_resume_data(handle, stream.id) }

    func reset(_ id: Int32, code: UInt32) {
        unsafe nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code)
    }

    /// Returns flow control credit to the peer; for a closed stream, of the connection only.
    func consume(_ id: Int32, _ count: Int) { unsafe nghttp2_session_consume(handle, id, count) }

    /// The first of two GOAWAY frames, which refuses no stream (RFC 9113 section 6.8).
    func announceShutdown() { unsafe nghttp2_submit_shutdown_notice(handle) }

    /// Sends a PING, which the peer acknowledges at once.
    func sendPing() { unsafe nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Sends the final GOAWAY with the last stream.
    func shutDown() {
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        unsafe nghttp2_submit_goaway(handle, flags, lastStream, H2Code.noError, nil, 0)
    }

    /// The library's data source for the body of a stream.
    private func bodySource(_ stream: H2Stream) -> nghttp2_data_provider {
        var source = unsafe nghttp2_data_provider()
        // SAFETY: the session holds the stream for as long as the library can ask for its body.
        unsafe source.source.ptr = unsafe Unmanaged.passUnretained(stream).toOpaque()
        unsafe source.read_callback = { _, _, _, limit, flags, source, user in
            guard let pointer = unsafe source?.pointee.ptr, let user = unsafe user, let flags = unsafe flags else {
                return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
            }
            let stream = unsafe Unmanaged<H2Stream>.fromOpaque(pointer).takeUnretainedValue()
            let piece = unsafe H2Callbacks.session(user) { $0.nextBody(of: stream, limit: limit) }
            switch piece {
            case .later: return Int(NGHTTP2_ERR_PAUSE.rawValue)
            case .nothing: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
            case .piece(let count, let end):
                unsafe flags.pointee = H2Callbacks.flags(end)
                return count
            }
        }
        return unsafe source
    }

    private static func flags(_ end: H2BodyEnd) -> UInt32 {
        // The bytes are moved by `frameBody`, not through the library's buffer.
        let moved = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
        switch end {
        case .open: return moved
        case .end: return moved | NGHTTP2_DATA_FLAG_EOF.rawValue
        case .trailers: return moved | NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
        }
    }
}

/// The next part of a body to frame.
enum H2BodyPiece {
    /// The output chunk has no room.
    case later
    /// No data until `resume`.
    case nothing
    case piece(Int, H2BodyEnd)
}

/// What follows a piece of a body.
enum H2BodyEnd {
    case open, end, trailers
}
