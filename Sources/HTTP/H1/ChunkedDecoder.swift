import Bytes

/// The next part of a chunked body. `consumed` is the number of processed bytes; ranges are offsets into the given
/// bytes, and valid until these are dropped.
package enum ChunkedEvent: Equatable, Sendable {
    /// More bytes are needed. Those not consumed must be passed again, followed by more.
    case needMore(consumed: Int)
    /// A piece of the body.
    case data(ByteRange, consumed: Int)
    /// One trailer field that may be forwarded (RFC 9110 section 6.5).
    case trailer(HeaderField, consumed: Int)
    /// The end of the body; bytes not consumed belong to the next message.
    case end(consumed: Int)
    /// The body is malformed, and the connection unusable.
    case invalid(HTTPParseError)
}

/// A strict incremental decoder of the chunked transfer coding (RFC 9112 section 7.1).
///
/// Chunk extensions are validated and dropped. Trailer fields are validated like those of a head; those that affect
/// framing, routing or authentication are dropped (RFC 9110 section 6.5.1).
package struct ChunkedDecoder: Equatable, Sendable {
    private enum State: Equatable {
        case size, sizeDigits, sizeLineFeed
        case extensionStart, extensionName, valueStart, value, quoted, escaped, afterQuoted
        case data, dataCarriageReturn, dataLineFeed
        case trailers, ended
    }

    /// Maximum digits of a chunk size, which fit into an `Int`.
    private static let maximumSizeDigits: UInt8 = 15
    private static let maximumExtensionBytes: UInt16 = 256
    private static let maximumTrailerBytes = 8_192
    private static let maximumTrailers: UInt8 = 32

    private var state = State.size
    private var sizeDigits: UInt8 = 0
    private var trailers: UInt8 = 0
    private var extensionBytes: UInt16 = 0
    private var remaining = 0
    private var trailerBytes = 0
    /// Bytes that were searched for the end of a trailer line.
    private var searched = 0

    package init() {}

    /// A decoder that starts at the trailer section, for the trailers of HTTP/2.
    package static var ofTrailers: ChunkedDecoder {
        var decoder = ChunkedDecoder()
        decoder.state = .trailers
        return decoder
    }

    /// Takes the next event from the front of `bytes`.
    package mutating func next(_ bytes: Span<UInt8>) -> ChunkedEvent {
        var position = 0
        let count = bytes.count
        while position < count {
            if state == .data {
                let piece = min(remaining, count &- position)
                let range = ByteRange(start: position, count: piece)
                remaining &-= piece
                if remaining == 0 { state = .dataCarriageReturn }
                return .data(range, consumed: position &+ piece)
            }
            if state == .trailers { return nextTrailer(bytes, from: position) }
            if state == .ended { return .end(consumed: position) }
            do throws(HTTPParseError) {
                try take(bytes[position])
            } catch {
                return .invalid(error)
            }
            position &+= 1
        }
        return state == .ended ? .end(consumed: position) : .needMore(consumed: position)
    }

    /// Takes one byte of a size line or of the line end after a chunk.
    private mutating func take(_ byte: UInt8) throws(HTTPParseError) {
        switch state {
        case .size, .sizeDigits: try takeSize(byte)
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            state = remaining == 0 ? .trailers : .data
        case .dataCarriageReturn:
            guard byte == ASCII.carriageReturn else { throw .malformedChunkEnd }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .malformedChunkEnd }
            state = .size
            sizeDigits = 0
            extensionBytes = 0
        default: try takeExtension(byte)
        }
    }

    private mutating func takeSize(_ byte: UInt8) throws(HTTPParseError) {
        if let digit = ASCII.hexadecimalValue(byte) {
            guard sizeDigits < Self.maximumSizeDigits else { throw .malformedChunkSize }
            sizeDigits &+= 1
            remaining = remaining << 4 | Int(digit)
            state = .sizeDigits
            return
        }
        guard state == .sizeDigits else { throw .malformedChunkSize }
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case 59: state = .extensionStart
        case ASCII.lineFeed: throw .bareLineFeed
        default: throw .malformedChunkSize
        }
    }

    /// `*( ";" chunk-ext-name [ "=" chunk-ext-val ] )` without optional blanks, which are not used in practice (RFC
    /// 9112 section 7.1.1).
    private mutating func takeExtension(_ byte: UInt8) throws(HTTPParseError) {
        extensionBytes &+= 1
        guard extensionBytes <= Self.maximumExtensionBytes else { throw .malformedChunkExtension }
        switch state {
        case .quoted, .escaped:
            guard FieldSyntax.isValue(byte) else { throw .malformedChunkExtension }
            if state == .escaped {
                state = .quoted
            } else if byte == ASCII.backslash {
                state = .escaped
            } else if byte == ASCII.quote {
                state = .afterQuoted
            }
        case .valueStart where byte == ASCII.quote: state = .quoted
        case .extensionStart, .valueStart:
            guard FieldSyntax.isToken(byte) else { throw .malformedChunkExtension }
            state = state == .extensionStart ? .extensionName : .value
        case .extensionName where byte == 61: state = .valueStart
        default:
            switch byte {
            case ASCII.carriageReturn: state = .sizeLineFeed
            case ASCII.lineFeed: throw .bareLineFeed
            case 59: state = .extensionStart
            default:
                guard state != .afterQuoted, FieldSyntax.isToken(byte) else { throw .malformedChunkExtension }
            }
        }
    }
}

extension ChunkedDecoder {
    /// Reads trailer lines; an incomplete one is not consumed.
    private mutating func nextTrailer(_ bytes: Span<UInt8>, from start: Int) -> ChunkedEvent {
        var position = start
        while let end = lineEnd(bytes, from: position) {
            if bytes[position] == ASCII.carriageReturn, end == position &+ 2 {
                state = .ended
                return .end(consumed: end)
            }
            trailerBytes &+= end &- position
            trailers &+= 1
            guard trailers <= Self.maximumTrailers, trailerBytes <= Self.maximumTrailerBytes else {
                return .invalid(.trailerTooLarge)
            }
            guard case .line(let field, let lineEnd) = FieldSection.parseLine(bytes, from: position), lineEnd == end
            else { return .invalid(.malformedTrailer) }
            if Self.mayBeForwarded(field, bytes) { return .trailer(field, consumed: end) }
            position = end
        }
        searched = bytes.count &- position
        if trailerBytes &+ searched > Self.maximumTrailerBytes { return .invalid(.trailerTooLarge) }
        return .needMore(consumed: position)
    }

    /// End of the line that begins at `start`, its line feed included.
    private mutating func lineEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var position = start &+ searched
        searched = 0
        while position < bytes.count {
            position &+= 1
            if bytes[position &- 1] == ASCII.lineFeed { return position }
        }
        return nil
    }

    /// Excludes fields for framing, routing, authentication and content interpretation, and managed fields (RFC 9110
    /// section 6.5.1).
    private static func mayBeForwarded(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        guard field.alias == .other, !ManagedNames.standard.contains(field, bytes) else { return false }
        let name = bytes.slice(field.name)
        func begins(_ prefix: StaticString) -> Bool {
            let count = prefix.utf8CodeUnitCount
            return name.count >= count && matches(name.extracting(0..<count), prefix)
        }
        return !begins("content-") && !begins("if-") && !begins("access-control-") && !matches(name, "range")
    }
}
