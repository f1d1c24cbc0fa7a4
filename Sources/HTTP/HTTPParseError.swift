import Model

/// Why a message is malformed. Malformed messages are refused, never repaired.
package enum HTTPParseError: UInt8, ReasonedFailure, CaseIterable {
    // Request line (RFC 9112 section 3)
    case malformedRequestLine, methodTooLong, malformedTarget, targetTooLong, malformedVersion, unsupportedVersion
    case connectUnsupported
    // Status line (RFC 9112 section 4)
    case malformedStatusLine
    // Field section (RFC 9112 section 5)
    case headTooLarge, tooManyFields, malformedFieldName, spaceBeforeColon, obsoleteFold, malformedFieldValue
    case bareCarriageReturn, bareLineFeed
    // Meaning of single fields
    case missingHost, duplicateHost, malformedHost, unknownExpectation, tooManyConnectionOptions
    // Framing (RFC 9112 section 6)
    case malformedContentLength, duplicateContentLength, lengthWithTransferEncoding
    case malformedTransferEncoding, unknownTransferCoding, transferEncodingOnHTTP10, framingAlias
    // Chunked coding (RFC 9112 section 7.1)
    case malformedChunkSize, malformedChunkExtension, malformedChunkEnd, malformedTrailer, trailerTooLarge

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
