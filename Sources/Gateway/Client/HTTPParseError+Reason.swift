import HTTP
import Model

extension HTTPParseError: ReasonedFailure {
    /// The stable reason code for logs and metrics.
    package var reason: Reason {
        switch self {
        case .malformedRequestLine: .malformedRequestLine
        case .methodTooLong: .methodTooLong
        case .malformedTarget: .malformedTarget
        case .targetTooLong: .targetTooLong
        case .malformedVersion: .malformedVersion
        case .unsupportedVersion: .unsupportedVersion
        case .connectUnsupported: .connectUnsupported
        case .malformedStatusLine: .malformedStatusLine
        case .headTooLarge: .headTooLarge
        case .tooManyFields: .tooManyFields
        case .malformedFieldName: .malformedFieldName
        case .spaceBeforeColon: .spaceBeforeColon
        case .obsoleteFold: .obsoleteFold
        case .malformedFieldValue: .malformedFieldValue
        case .bareCarriageReturn: .bareCarriageReturn
        case .bareLineFeed: .bareLineFeed
        case .missingHost: .missingHost
        case .duplicateHost: .duplicateHost
        case .malformedHost: .malformedHost
        case .unknownExpectation: .unknownExpectation
        case .tooManyConnectionOptions: .tooManyConnectionOptions
        case .malformedContentLength: .malformedContentLength
        case .duplicateContentLength: .duplicateContentLength
        case .lengthWithTransferEncoding: .lengthWithTransferEncoding
        case .malformedTransferEncoding: .malformedTransferEncoding
        case .unknownTransferCoding: .unknownTransferCoding
        case .transferEncodingOnHTTP10: .transferEncodingOnHTTP10
        case .framingAlias: .framingAlias
        case .malformedChunkSize: .malformedChunkSize
        case .malformedChunkExtension: .malformedChunkExtension
        case .malformedChunkEnd: .malformedChunkEnd
        case .malformedTrailer: .malformedTrailer
        case .trailerTooLarge: .trailerTooLarge
        }
    }
}

extension H2Failure: ReasonedFailure {
    /// The stable reason code for logs and metrics.
    package var reason: Reason {
        switch self {
        case .notHTTP2: .notHTTP2
        case .protocolError: .h2ProtocolError
        case .frameSize: .h2FrameSize
        case .flowControl: .h2FlowControl
        case .compression: .h2Compression
        case .streamClosed: .h2StreamClosed
        case .blockTooLarge: .h2BlockTooLarge
        case .continuationFlood: .h2ContinuationFlood
        case .resetFlood: .h2ResetFlood
        case .provokedResetFlood: .h2ProvokedResetFlood
        case .settingsFlood: .h2SettingsFlood
        case .pingFlood: .h2PingFlood
        case .emptyFrameFlood: .h2EmptyFrameFlood
        case .windowUpdateFlood: .h2WindowUpdateFlood
        case .priorityFlood: .h2PriorityFlood
        case .queueFlood: .h2QueueFlood
        case .internalError: .h2InternalError
        case .disconnected: .h2Disconnected
        }
    }
}
