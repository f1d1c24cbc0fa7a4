import Bytes
import HTTP

/// Takes a body out of one connection's framing and puts it into another's: a value that reads spans and appends to
/// chunks, so that every framing pair is tested without sockets. It refers to nothing: it is copied several times for each
/// message, and a reference would be counted each time.
struct BodyRelay {
    enum Source {
        case nothing
        /// So many bytes are still to come.
        case length(Int)
        case chunked(ChunkedDecoder)
        case untilClose
    }

    enum Target {
        /// Bytes as they are: `Content-Length`, or until the connection closes.
        case raw
        case chunked
        /// Bytes as they are, into the frames of HTTP/2; trailer fields are kept apart, for the frame behind them.
        case frames
        /// The receiver does not want them.
        case discard
    }

    /// Room that `relay` needs in its output to make progress: a size line, the line ends and the last chunk.
    static let reserve = 64

    private(set) var source: Source
    private(set) var target: Target
    /// Body bytes that passed, without framing.
    private(set) var passed = 0
    /// Whether trailer fields go on. Not to an upstream that is given a token, nor where the configuration adds managed
    /// names: such a field has any name, and one of that name behind the body could be taken for it.
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

    /// Whether the whole body, with its framing, was taken from the source.
    var isComplete: Bool {
        if case .nothing = source { return true }
        return false
    }

    /// How many bytes are still to come, where a length was given.
    var remainingLength: Int? {
        if case .length(let remaining) = source { return remaining }
        return nil
    }

    /// The same body, from here on read and dropped.
    func discarding() -> BodyRelay {
        var relay = BodyRelay(.none, to: .discard)
        relay.source = source
        return relay
    }

    /// The same body, none of which has passed yet, for another receiver.
    func retargeted(_ target: Target) -> BodyRelay {
        var relay = self
        relay.target = target
        return relay
    }

    /// How many of `available` bytes may go on as they are, without a look at them; 0 where framing is in the way.
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

    /// Whether bytes can go on as they are.
    var isPassThrough: Bool {
        switch (source, target) {
        case (.length, .raw), (.length, .frames), (.untilClose, .raw), (.untilClose, .frames): return true
        default: return false
        }
    }

    /// Reads from `input` and appends to `output` until one of them, or the body, is at its end. Answers how many
    /// bytes of the input were used.
    ///
    /// - Parameter trailers: gets the trailer fields for a receiver who has them in a frame of their own.
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

    /// The connection or the stream has ended: completes a body that is told by that. Answers false where the body was
    /// cut off.
    ///
    /// - Parameters:
    ///   - received: the field lines behind the body of a stream, with the empty line.
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

    /// The end of a body of another framing, where the receiver has chunks.
    private func finish(_ output: Chunk) {
        if case .chunked = target { output.append("0\r\n\r\n") }
    }

    private mutating func decode(
        _ decoder: inout ChunkedDecoder, _ input: Span<UInt8>, _ room: Int, into output: Chunk, _ trailers: Chunk?
    ) throws(HTTPParseError) -> (used: Int, ended: Bool) {
        // A piece larger than the room is taken in parts: the decoder sees no more than what fits.
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
