/// Why a connection as a whole has failed. The peer is told with GOAWAY and the connection closed.
package enum H2Failure: UInt8, Error, Sendable, CaseIterable {
    /// The first bytes are not the client's preface (RFC 9113 section 3.4).
    case notHTTP2
    // Errors of connection that the peer committed (RFC 9113 section 5.4.1)
    case protocolError, frameSize, flowControl, compression, streamClosed
    // Budgets of `H2Limits` exceeded
    case blockTooLarge, continuationFlood, resetFlood, provokedResetFlood, settingsFlood, pingFlood, emptyFrameFlood
    case windowUpdateFlood, priorityFlood, queueFlood
    /// Our own: out of memory, or a state that should not be.
    case internalError
    /// The connection is gone.
    case disconnected

    /// What GOAWAY says (RFC 9113 section 7).
    package var code: UInt32 {
        switch self {
        case .notHTTP2, .protocolError: H2Code.protocolError
        case .frameSize: H2Code.frameSizeError
        case .flowControl: H2Code.flowControlError
        case .compression: H2Code.compressionError
        case .streamClosed: H2Code.streamClosed
        case .internalError: H2Code.internalError
        case .disconnected: H2Code.cancel
        default: H2Code.enhanceYourCalm
        }
    }

    /// The peer has made work without end.
    package var isFlood: Bool { code == H2Code.enhanceYourCalm }

    /// The failure that an error code in a GOAWAY of ours stands for.
    init(code: UInt32) {
        switch code {
        case H2Code.frameSizeError: self = .frameSize
        case H2Code.flowControlError: self = .flowControl
        case H2Code.compressionError: self = .compression
        case H2Code.streamClosed: self = .streamClosed
        case H2Code.internalError: self = .internalError
        case H2Code.enhanceYourCalm: self = .queueFlood
        default: self = .protocolError
        }
    }

    /// The stable reason code for logs and metrics.
    package var reason: StaticString {
        switch self {
        case .notHTTP2: "not_http2"
        case .protocolError: "h2_protocol_error"
        case .frameSize: "h2_frame_size"
        case .flowControl: "h2_flow_control"
        case .compression: "h2_compression"
        case .streamClosed: "h2_stream_closed"
        case .blockTooLarge: "h2_block_too_large"
        case .continuationFlood: "h2_continuation_flood"
        case .resetFlood: "h2_reset_flood"
        case .provokedResetFlood: "h2_provoked_reset_flood"
        case .settingsFlood: "h2_settings_flood"
        case .pingFlood: "h2_ping_flood"
        case .emptyFrameFlood: "h2_empty_frame_flood"
        case .windowUpdateFlood: "h2_window_update_flood"
        case .priorityFlood: "h2_priority_flood"
        case .queueFlood: "h2_queue_flood"
        case .internalError: "h2_internal_error"
        case .disconnected: "h2_disconnected"
        }
    }
}

/// Error codes of RST_STREAM and GOAWAY (RFC 9113 section 7).
package enum H2Code {
    package static let noError: UInt32 = 0
    package static let protocolError: UInt32 = 1
    package static let internalError: UInt32 = 2
    package static let flowControlError: UInt32 = 3
    package static let settingsTimeout: UInt32 = 4
    package static let streamClosed: UInt32 = 5
    package static let frameSizeError: UInt32 = 6
    package static let refusedStream: UInt32 = 7
    package static let cancel: UInt32 = 8
    package static let compressionError: UInt32 = 9
    package static let enhanceYourCalm: UInt32 = 11
}
