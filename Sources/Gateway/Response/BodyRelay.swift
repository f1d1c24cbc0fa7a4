import Bytes
import HTTP

/// Converts a body between framings: a value that reads spans and appends to chunks, so that every combination is
/// testable without sockets. It holds no references, because it is copied several times per message and each copy would
/// count them.
struct BodyRelay {
    enum Source {
        case nothing
        /// Remaining bytes.
        case length(Int)
        case chunked(ChunkedDecoder)
        case untilClose
    }

    enum Target {
        /// Without framing: `Content-Length`, or until the connection closes.
        case raw
        case chunked
        /// Raw bytes for HTTP/2 frames; trailer fields are kept separately, for a later frame.
        case frames
        /// Read and dropped.
        case discard
    }

    /// Output space that `relay` needs for progress: a size line, line ends and the last chunk.
    static let reserve = 64

    private(set) var source: Source
    private(set) var target: Target
    /// Relayed body bytes, without framing.
    private(set) var passed = 0
    /// Whether trailer fields are relayed. Not to an upstream that gets a token, nor if the configuration adds managed
    /// names: a trailer field of such a name could be mistaken for the managed one.
    var forwardsTrailers = true

    static let empty = BodyRelay(.none, to: .raw)

    init(_ framing: BodyFraming, to target: Target) {
        self.target = target
        switch framing {
        case .none, .length(0): source = .nothing
        case .length(let count): source = .length(count)
        case .chunked: source = .chunked(ChunkedDecoder())
        case .untilClose: source = .untilClose
        }
    }

    /// Whether the complete body, including framing, was read.
    var isComplete: Bool {
        if case .nothing = source { return true }
        return false
    }

    /// Remaining bytes of a body with a length.
    var remainingLength: Int? {
        if case .length(let remaining) = source { return remaining }
        return nil
    }

    /// The rest of the same body, read and dropped.
    func discarding() -> BodyRelay {
        var relay = BodyRelay(.none, to: .discard)
        relay.source = source
        return relay
    }

    /// The same, unread body for another receiver.
    func retargeted(_ target: Target) -> BodyRelay {
        var relay = self
        relay.target = target
        return relay
    }

    /// How many of `available` bytes may be relayed unparsed; 0 if framing must be parsed.
    mutating func passThrough(_ available: Int) -> Int {
        guard isPassThrough else { return 0 }
        switch source {
        case .nothing, .chunked: return 0
        case .untilClose:
            passed += available
            return available
        case .length(let remaining):
            let taken = min(remaining, available)
            source = taken == remaining ? .nothing : .length(remaining - taken)
            passed += taken
            return taken
        }
    }

    /// Whether bytes can be relayed unparsed.
    var isPassThrough: Bool {
        switch (source, target) {
        case (.length, .raw), (.length, .frames), (.untilClose, .raw), (.untilClose, .frames): return true
        default: return false
        }
    }

    /// Reads from `input` and appends to `output` until either or the body ends. Returns the number of consumed input
    /// bytes.
    ///
    /// - Parameter trailers: receives the trailer fields, for a receiver that gets them in a frame.
    mutating func relay(
        _ input: Span<UInt8>, into output: Chunk, trailers: Chunk? = nil
    ) throws(HTTPParseError) -> Int {
        var used = 0
        while used < input.count, output.free >= BodyRelay.reserve {
            let rest = input.extracting(used..<input.count)
            let room = output.free - BodyRelay.reserve / 2
            switch source {
            case .nothing: return used
            case .untilClose:
                let taken = min(rest.count, room)
                append(rest.extracting(0..<taken), to: output)
                used += taken
            case .length(let remaining):
                let taken = min(remaining, rest.count, room)
                append(rest.extracting(0..<taken), to: output)
                source = taken == remaining ? .nothing : .length(remaining - taken)
                if isComplete { finish(output) }
                used += taken
            case .chunked(var decoder):
                let taken = try decode(&decoder, rest, room, into: output, trailers)
                used += taken.used
                if taken.ended {
                    source = .nothing
                    return used
                }
                source = .chunked(decoder)
                if taken.used == 0 { return used }
            }
        }
        return used
    }

    /// The connection or stream has ended: completes a body delimited by that. False if the body was truncated.
    ///
    /// - Parameters:
    ///   - received: the trailer field lines of a stream, with the empty line.
    ///   - trailers: as in `relay`.
    mutating func end(into output: Chunk, received: Span<UInt8>? = nil, trailers: Chunk? = nil) -> Bool {
        switch source {
        case .nothing: return true
        case .untilClose:
            if let received {
                source = .chunked(.ofTrailers)
                output.ensureFree(received.count * 2 + BodyRelay.reserve)
                guard (try? relay(received, into: output, trailers: trailers)) != nil else { return false }
                return isComplete
            }
            source = .nothing
            finish(output)
            return true
        case .length, .chunked: return false
        }
    }

    private mutating func append(_ bytes: Span<UInt8>, to output: Chunk) {
        guard !bytes.isEmpty else { return }
        passed += bytes.count
        switch target {
        case .raw, .frames: output.append(bytes)
        case .discard: break
        case .chunked:
            output.append(hexadecimal: bytes.count)
            output.append("\r\n")
            output.append(bytes)
            output.append("\r\n")
        }
    }

    /// Writes the last chunk after a body of another framing.
    private func finish(_ output: Chunk) {
        if case .chunked = target { output.append("0\r\n\r\n") }
    }

    private mutating func decode(
        _ decoder: inout ChunkedDecoder, _ input: Span<UInt8>, _ room: Int, into output: Chunk, _ trailers: Chunk?
    ) throws(HTTPParseError) -> (used: Int, ended: Bool) {
        // A piece larger than the room is split: the decoder sees only what fits.
        let visible = input.extracting(0..<min(input.count, max(room, 1)))
        switch decoder.next(visible) {
        case .needMore(let consumed): return (consumed, false)
        case .data(let range, let consumed):
            append(visible.slice(range), to: output)
            return (consumed, false)
        case .trailer(let field, let consumed):
            appendTrailer(visible.slice(field.name), visible.slice(field.value), to: output, trailers)
            return (consumed, false)
        case .end(let consumed):
            endChunks(output)
            return (consumed, true)
        case .invalid(let error): throw error
        }
    }

    private var trailersBegun = false

    private mutating func appendTrailer(
        _ name: Span<UInt8>, _ value: Span<UInt8>, to output: Chunk, _ trailers: Chunk?
    ) {
        guard forwardsTrailers else { return }
        if case .frames = target, let trailers {
            trailers.ensureFree(name.count + value.count + 4)
            trailers.append(name)
            trailers.append(": ")
            trailers.append(value)
            trailers.append("\r\n")
        }
        guard case .chunked = target else { return }
        output.ensureFree(name.count + value.count + BodyRelay.reserve)
        if !trailersBegun {
            output.append("0\r\n")
            trailersBegun = true
        }
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
    }

    private func endChunks(_ output: Chunk) {
        guard case .chunked = target else { return }
        output.append(trailersBegun ? "\r\n" : "0\r\n\r\n")
    }
}
