/// Why a message is malformed. Malformed messages are refused, never repaired.
package enum HTTPParseError: UInt8, Error, CaseIterable {
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
}
