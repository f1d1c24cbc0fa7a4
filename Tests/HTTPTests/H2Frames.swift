import Bytes
import Model

@testable import HTTP

/// Frames written by hand, as a peer without manners sends them.
enum H2Frames {
    static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".bytes + frame(4)

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags] + number(stream) + payload
    }

    static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Literal fields without indexing and without Huffman coding (RFC 7541 section 6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = text.bytes
        if bytes.count < 127 { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    static let pseudo = [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "example.org")]

    /// A whole head in one frame.
    static func head(
        _ stream: UInt32, _ fields: [(String, String)] = pseudo, ended: Bool = true
    ) -> [UInt8] {
        frame(1, flags: ended ? 5 : 4, stream: stream, block(fields))
    }

    static func data(_ stream: UInt32, _ bytes: [UInt8], ended: Bool = false) -> [UInt8] {
        frame(0, flags: ended ? 1 : 0, stream: stream, bytes)
    }

    static func reset(_ stream: UInt32, _ code: UInt32 = H2Code.cancel) -> [UInt8] {
        frame(3, stream: stream, number(code))
    }

    /// The frames of a stream of bytes, as type, flags, stream and payload.
    static func parse(_ bytes: [UInt8]) -> [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] {
        var frames: [(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])] = []
        var position = 0
        while position + 9 <= bytes.count {
            let count = Int(bytes[position]) << 16 | Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            let stream = bytes[(position + 5)..<(position + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let end = min(position + 9 + count, bytes.count)
            frames.append((bytes[position + 3], bytes[position + 4], stream, Array(bytes[(position + 9)..<end])))
            position += 9 + count
        }
        return frames
    }
}

/// A server's session with a peer that writes its frames by hand.
final class H2Attacked {
    let chunks = ChunkPool(chunkSize: 4096, keep: 64)
    let session: H2Session
    let table = HeaderTable()
    var now: Int64 = 1000
    var events: [H2Event] = []
    /// The events as text, written as they came.
    var log: [String] = []
    /// Chunks in use at the worst moment.
    var peak = 0
    /// Whether heads that are valid are answered with a short body.
    var answers = false

    init(_ limits: H2Limits = H2Limits(), preface: Bool = true) {
        session = H2Session(server: limits, chunks: chunks)
        if preface { receive(H2Frames.preface) }
        _ = H2Wire.take(session)
    }

    /// Answers false once the session has had enough.
    @discardableResult
    func receive(_ bytes: [UInt8]) -> Bool {
        let goesOn = session.receive(bytes.span, now: now)
        listen()
        peak = max(peak, chunks.inUse)
        return goesOn
    }

    func listen() {
        while let event = session.nextEvent() {
            events.append(event)
            log.append(event.text)
            if answers, case .head(let stream) = event { answer(stream) }
        }
    }

    private func answer(_ stream: H2Stream) {
        session.respond(stream, status: 200, fields: [UInt8]().span, ended: false)
        let chunk = chunks.take()
        chunk.append("ok".bytes)
        session.send(stream, chunk)
        session.finish(stream, trailers: [UInt8]().span)
    }

    /// The stream of the first head so far.
    var headStream: H2Stream? {
        for case .head(let stream) in events { return stream }
        return nil
    }

    /// What became of the only head so far: the error, nil where it was valid.
    func headError(limits: HTTPLimits = HTTPLimits()) -> HTTPParseError? {
        for case .head(let stream) in events {
            if case .invalid(let error) = stream.requestHead(into: table, limits: limits) { return error }
        }
        return nil
    }

    /// The code of the first GOAWAY sent.
    func goAway() -> UInt32? {
        H2Frames.parse(H2Wire.take(session)).first { $0.type == 7 }.map { frame in
            frame.payload[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
    }
}
