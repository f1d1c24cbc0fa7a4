/// Why a connection has failed. It is closed after a GOAWAY.
package enum H2Failure: UInt8, Error, CaseIterable {
    /// The first bytes are not the client's preface (RFC 9113 section 3.4).
    case notHTTP2
    // Connection errors of the peer (RFC 9113 section 5.4.1)
    case protocolError, frameSize, flowControl, compression, streamClosed
    // Budgets of `H2Limits` exceeded
    case blockTooLarge, continuationFlood, resetFlood, provokedResetFlood, settingsFlood, pingFlood, emptyFrameFlood
    case windowUpdateFlood, priorityFlood, queueFlood
    /// Internal: out of memory or an unexpected state.
    case internalError
    /// The connection is gone.
    case disconnected

    /// The error code of GOAWAY (RFC 9113 section 7).
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

    /// Whether the peer has exceeded a budget.
    package var isFlood: Bool { code == H2Code.enhanceYourCalm }

    /// The failure for the error code of a GOAWAY that was sent.
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
