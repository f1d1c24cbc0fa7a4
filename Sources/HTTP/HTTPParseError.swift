/// Why a message was refused by its form alone. Whatever does not parse is denied; nothing is repaired.
package enum HTTPParseError: UInt8, Error, Sendable, CaseIterable {
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

    /// The status to answer a request with. A response that does not parse is the upstream's fault and becomes a 502
    /// whatever this says.
    package var status: Int {
        switch self {
        case .targetTooLong: 414
        case .unknownExpectation: 417
        case .headTooLarge, .tooManyFields, .tooManyConnectionOptions, .trailerTooLarge: 431
        case .methodTooLong, .connectUnsupported, .unknownTransferCoding: 501
        case .unsupportedVersion: 505
        default: 400
        }
    }

    /// The stable reason code for logs and metrics.
    package var reason: StaticString {
        switch self {
        case .malformedRequestLine: "malformed_request_line"
        case .methodTooLong: "method_too_long"
        case .malformedTarget: "malformed_target"
        case .targetTooLong: "target_too_long"
        case .malformedVersion: "malformed_version"
        case .unsupportedVersion: "unsupported_version"
        case .connectUnsupported: "connect_unsupported"
        case .malformedStatusLine: "malformed_status_line"
        case .headTooLarge: "head_too_large"
        case .tooManyFields: "too_many_fields"
        case .malformedFieldName: "malformed_field_name"
        case .spaceBeforeColon: "space_before_colon"
        case .obsoleteFold: "obsolete_fold"
        case .malformedFieldValue: "malformed_field_value"
        case .bareCarriageReturn: "bare_carriage_return"
        case .bareLineFeed: "bare_line_feed"
        case .missingHost: "missing_host"
        case .duplicateHost: "duplicate_host"
        case .malformedHost: "malformed_host"
        case .unknownExpectation: "unknown_expectation"
        case .tooManyConnectionOptions: "too_many_connection_options"
        case .malformedContentLength: "malformed_content_length"
        case .duplicateContentLength: "duplicate_content_length"
        case .lengthWithTransferEncoding: "length_with_transfer_encoding"
        case .malformedTransferEncoding: "malformed_transfer_encoding"
        case .unknownTransferCoding: "unknown_transfer_coding"
        case .transferEncodingOnHTTP10: "transfer_encoding_on_http10"
        case .framingAlias: "framing_alias"
        case .malformedChunkSize: "malformed_chunk_size"
        case .malformedChunkExtension: "malformed_chunk_extension"
        case .malformedChunkEnd: "malformed_chunk_end"
        case .malformedTrailer: "malformed_trailer"
        case .trailerTooLarge: "trailer_too_large"
        }
    }
}
