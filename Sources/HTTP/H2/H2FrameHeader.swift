import CNghttp2

/// The relevant parts of a frame header.
struct H2FrameHeader {
    let type: H2FrameType
    let length: Int
    let stream: Int32
    /// Of RST_STREAM and GOAWAY.
    let code: UInt32
    private let flags: UInt8

    init(_ header: nghttp2_frame_hd) {
        type = H2FrameType(rawValue: header.type) ?? .other
        length = header.length
        stream = header.stream_id
        flags = header.flags
        code = 0
    }

    init(_ summary: cnghttp2_frame_summary) {
        type = H2FrameType(rawValue: summary.type) ?? .other
        length = summary.length
        stream = summary.stream
        flags = summary.flags
        code = summary.code
    }

    /// END_STREAM of DATA and HEADERS.
    var endsStream: Bool { flags & 1 != 0 }
    /// ACK of SETTINGS and PING.
    var isAcknowledgement: Bool { flags & 1 != 0 }
}

/// Types of frames (RFC 9113 section 6).
enum H2FrameType: UInt8 {
    case data = 0
    case headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    case other = 255
}
