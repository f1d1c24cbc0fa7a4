import Bytes
import Model

@testable import HTTP

/// A client's session and a server's, with the bytes between them in memory.
final class H2Pair {
    let chunks = ChunkPool(chunkSize: 4096, keep: 64)
    let server: H2Session
    let client: H2Session
    let table = HeaderTable()
    var now: Int64 = 1000
    /// The events of each side, as text, and the streams that the server has seen.
    var serverLog: [String] = []
    var clientLog: [String] = []
    var asked: [H2Stream] = []
    /// Response heads that the client received, nil for those that are not valid.
    var answers: [ResponseHead?] = []

    init(server serverLimits: H2Limits = H2Limits(), client clientLimits: H2Limits = H2Limits()) {
        server = H2Session(server: serverLimits, chunks: chunks)
        client = H2Session(client: clientLimits, chunks: chunks)
    }

    /// Carries everything both ways until both are silent.
    func settle() {
        var moved = true
        while moved {
            let up = H2Wire.take(client)
            if !up.isEmpty { _ = server.receive(up.span, now: now) }
            let down = H2Wire.take(server)
            if !down.isEmpty { _ = client.receive(down.span, now: now) }
            listen()
            moved = !up.isEmpty || !down.isEmpty
        }
    }

    func listen() {
        while let event = server.nextEvent() {
            serverLog.append(event.text)
            if case .head(let stream) = event { asked.append(stream) }
        }
        while let event = client.nextEvent() {
            clientLog.append(event.text)
            switch event {
            case .head(let stream): answers.append(try? response(stream))
            case .interim(let stream): answers.append(try? response(stream, isInterim: true))
            default: break
            }
        }
    }

    func respond(_ stream: H2Stream, _ status: Int = 200, fields: String = "", ended: Bool = false) {
        let block = fields.bytes
        server.respond(stream, status: status, fields: block.span, ended: ended)
    }

    func send(_ session: H2Session, _ stream: H2Stream, _ text: String) { session.send(stream, chunk(text.bytes)) }

    func finish(_ session: H2Session, _ stream: H2Stream, trailers: String = "") {
        let block = trailers.bytes
        session.finish(stream, trailers: block.span)
    }

    func head(_ stream: H2Stream) throws -> RequestHead {
        switch stream.requestHead(into: table, limits: HTTPLimits()) {
        case .head(let head): return head
        case .invalid(let error): throw error
        }
    }

    func response(_ stream: H2Stream, to method: HTTP.Method = .get, isInterim: Bool = false) throws -> ResponseHead {
        let outcome = stream.responseHead(
            into: table, limits: HTTPLimits(), requestMethod: method, isInterim: isInterim)
        switch outcome {
        case .head(let head): return head
        case .invalid(let error): throw error
        }
    }

    /// Opens a request with these field lines.
    func request(
        _ method: String = "GET", _ path: String = "/", authority: String = "example.org", fields: String = "",
        ended: Bool = true, protocol: String? = nil
    ) -> H2Stream? {
        let (m, p, a, f, s) = (method.bytes, path.bytes, authority.bytes, fields.bytes, "https".bytes)
        guard let `protocol` else {
            return client.request(
                method: m.span, scheme: s.span, authority: a.span, path: p.span, fields: f.span, ended: ended)
        }
        let tunnel = `protocol`.bytes
        return client.request(
            method: m.span, scheme: s.span, authority: a.span, path: p.span, fields: f.span, ended: ended,
            protocol: tunnel.span)
    }

    func chunk(_ bytes: [UInt8]) -> Chunk {
        let chunk = chunks.take()
        chunk.append(bytes)
        return chunk
    }
}

enum H2Wire {
    /// All that the session has to send.
    static func take(_ session: H2Session, upTo limit: Int = 4096) -> [UInt8] {
        var bytes: [UInt8] = []
        let chunk = Chunk(capacity: 4096)
        while session.wantsToSend {
            _ = session.produce(into: chunk, upTo: limit)
            if chunk.isEmpty { break }
            bytes += array(chunk)
            chunk.reset()
        }
        return bytes
    }

    static func array(_ chunk: Chunk) -> [UInt8] {
        let readable = chunk.readable
        return readable.indices.map { readable[$0] }
    }

    static func text(_ chunk: Chunk?) -> String { chunk.map { String(decoding: array($0), as: UTF8.self) } ?? "" }

    /// Takes the whole inbox and gives credit for it.
    static func body(_ stream: H2Stream, _ session: H2Session, _ chunks: ChunkPool) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = stream.takeInbox() {
            bytes += array(chunk)
            let count = chunk.count
            chunks.give(chunk)
            session.consumed(stream, count)
        }
        return bytes
    }
}

extension H2Event {
    /// The event as short text, such as `head 1`.
    var text: String {
        switch self {
        case .interim(let stream): "interim \(stream.id)"
        case .head(let stream): "head \(stream.id)"
        case .body(let stream): "body \(stream.id)"
        case .ended(let stream): "ended \(stream.id)"
        case .drained(let stream): "drained \(stream.id)"
        case .reset(let stream, let code): "reset \(stream.id) \(code)"
        case .closed(let stream): "closed \(stream.id)"
        case .goAway: "goaway"
        }
    }
}
