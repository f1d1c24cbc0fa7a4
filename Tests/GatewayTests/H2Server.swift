import Bytes
import HTTP
import Model
import TestSupport
import Testing

@testable import Gateway

/// An upstream that speaks HTTP/2, moved by hand like its `Peer`.
final class H2Server {
    /// What has come of one request.
    struct Asked {
        var method = ""
        var path = ""
        var authority = ""
        var fields: [String] = []
        var body: [UInt8] = []
        var trailers: [String] = []
        var isWhole = false
        var wasReset = false
    }

    let peer: Peer
    let chunks = ChunkPool(chunkSize: 16 * 1024, keep: 64)
    let session: H2Session
    private let headers = HeaderTable()
    private(set) var asked: [Int32: Asked] = [:]
    private(set) var order: [Int32] = []
    private var streams: [Int32: H2Stream] = [:]
    /// Streams whose bodies are left where they are.
    var stalls = false

    init(_ peer: Peer, _ limits: H2Limits = H2Limits()) {
        self.peer = peer
        session = H2Session(server: limits, chunks: chunks)
    }

    /// What is sent in `body` goes out in one piece.
    func together(_ body: () -> Void) {
        isHolding = true
        body()
        isHolding = false
        move()
    }

    private var isHolding = false

    func move() {
        if isHolding { return }
        peer.receive()
        let bytes = peer.received
        peer.forget()
        if !bytes.isEmpty { _ = session.receive(bytes.span, now: 0) }
        while let event = session.nextEvent() { note(event) }
        var out: [UInt8] = []
        while session.wantsToSend {
            let chunk = chunks.take()
            _ = session.produce(into: chunk, upTo: chunk.capacity)
            let bytes = chunk.readable
            if bytes.isEmpty { break }
            out += (0..<bytes.count).map { bytes[$0] }
            chunks.give(chunk)
        }
        if !out.isEmpty { peer.send(out) }
    }

    private func note(_ event: H2Event) {
        switch event {
        case .head(let stream):
            var request = Asked()
            if case .head(let head) = stream.requestHead(into: headers, limits: HTTPLimits()) {
                request.method = text(head.methodText, stream.head)
                request.path = text(head.target, stream.head)
                request.authority = text(head.authority, stream.head)
                request.fields = (0..<headers.count).map {
                    "\(text(headers[$0].name, stream.head)): \(text(headers[$0].value, stream.head))"
                }
            }
            request.isWhole = stream.endedWithHead
            asked[stream.id] = request
            order.append(stream.id)
            streams[stream.id] = stream
        case .body(let stream): if !stalls { take(stream) }
        case .ended(let stream):
            asked[stream.id]?.isWhole = true
            if let trailers = stream.trailers { asked[stream.id]?.trailers = lines(trailers) }
        case .reset(let stream, _): asked[stream.id]?.wasReset = true
        case .closed(let stream): streams[stream.id] = nil
        case .interim, .drained, .goAway: break
        }
    }

    /// Takes the bodies that were left, and from now on all.
    func takeStalled() {
        stalls = false
        for stream in streams.values { take(stream) }
    }

    private func take(_ stream: H2Stream) {
        while let chunk = stream.takeInbox() {
            let bytes = chunk.readable
            asked[stream.id]?.body += (0..<bytes.count).map { bytes[$0] }
            session.consumed(stream, bytes.count)
            chunks.give(chunk)
        }
    }

    private func text(_ range: ByteRange, _ chunk: Chunk) -> String {
        let bytes = chunk.readable
        return String(decoding: range.range.map { bytes[$0] }, as: UTF8.self)
    }

    private func lines(_ chunk: Chunk) -> [String] {
        let bytes = chunk.readable
        let text = String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        return text.split(separator: "\r\n").map(String.init)
    }

    func answer(_ id: Int32, _ status: Int = 200, _ fields: String = "", body: [UInt8]? = nil, trailers: String = "") {
        guard let stream = streams[id] else { return }
        session.respond(stream, status: status, fields: Array(fields.utf8).span, ended: body == nil)
        if let body {
            send(id, body)
            session.finish(stream, trailers: Array(trailers.utf8).span)
        }
        move()
    }

    func begin(_ id: Int32, _ fields: String = "") {
        guard let stream = streams[id] else { return }
        session.respond(stream, status: 200, fields: Array(fields.utf8).span, ended: false)
        move()
    }

    func interim(_ id: Int32, _ status: Int) {
        guard let stream = streams[id] else { return }
        session.interim(stream, status: status, fields: Array("link: </a>\r\n".utf8).span)
        move()
    }

    func send(_ id: Int32, _ body: [UInt8]) {
        guard let stream = streams[id] else { return }
        let chunk = chunks.take()
        chunk.append(body)
        session.send(stream, chunk)
    }

    func reset(_ id: Int32, _ code: UInt32) {
        if let stream = streams[id] { session.reset(stream, code: code) }
        move()
    }
}
