import Bytes
import HTTP
import Model
import Reactor
import TestSupport
import Testing

@testable import Gateway

/// A client that speaks HTTP/2 to the worker of a bench, moved by hand like its `Peer`.
final class H2Client {
    /// What has come of one answer.
    struct Answer {
        var status = 0
        var fields: [String] = []
        var body: [UInt8] = []
        var trailers: [String] = []
        var interim: [Int] = []
        var isWhole = false
        var resetCode: UInt32?

        var text: String { String(decoding: body, as: UTF8.self) }
        func field(_ name: String) -> String? {
            fields.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    let peer: Peer
    let chunks = ChunkPool(chunkSize: 16 * 1024, keep: 64)
    let session: H2Session
    private let headers = HeaderTable()
    private(set) var answers: [Int32: Answer] = [:]
    /// Streams whose bodies are left where they are, so that the peer gets no credit.
    var stalled: Set<Int32> = []
    private(set) var sawGoAway = false
    /// All that has come.
    private var wire: [UInt8] = []
    private var streams: [Int32: H2Stream] = [:]

    init(_ peer: Peer, _ limits: H2Limits = H2Limits()) {
        self.peer = peer
        session = H2Session(client: limits, chunks: chunks)
    }

    /// Sends what the session has, and takes what has come.
    func move() {
        while session.wantsToSend {
            let chunk = chunks.take()
            _ = session.produce(into: chunk, upTo: chunk.capacity)
            let bytes = chunk.readable
            if bytes.isEmpty { break }
            peer.send((0..<bytes.count).map { bytes[$0] })
            chunks.give(chunk)
        }
        peer.receive()
        let bytes = peer.received
        peer.forget()
        wire += bytes
        if !bytes.isEmpty { _ = session.receive(bytes.span, now: 0) }
        while let event = session.nextEvent() { note(event) }
    }

    private func note(_ event: H2Event) {
        switch event {
        case .interim(let stream):
            let outcome = stream.responseHead(
                into: headers, limits: HTTPLimits(), requestMethod: .get, isInterim: true)
            if case .head(let head) = outcome { answers[stream.id, default: Answer()].interim.append(head.status) }
        case .head(let stream):
            let outcome = stream.responseHead(into: headers, limits: HTTPLimits(), requestMethod: .get)
            guard case .head(let head) = outcome else { return }
            answers[stream.id, default: Answer()].status = head.status
            answers[stream.id]?.fields = lines(stream.head)
            if stream.ended { answers[stream.id]?.isWhole = true }
        case .body(let stream): if !stalled.contains(stream.id) { take(stream) }
        case .ended(let stream):
            answers[stream.id]?.isWhole = true
            if let trailers = stream.trailers { answers[stream.id]?.trailers = lines(trailers) }
        case .reset(let stream, let code):
            // What came before the reset, and was not taken yet.
            take(stream)
            answers[stream.id, default: Answer()].resetCode = code
        case .closed(let stream): streams[stream.id] = nil
        case .drained: break
        case .goAway: sawGoAway = true
        }
    }

    /// The types of the frames that have come, in their order (RFC 9113 section 6).
    var frameTypes: [UInt8] {
        var types: [UInt8] = []
        var position = 0
        while position + 9 <= wire.count {
            types.append(wire[position + 3])
            position += 9 + wire[position..<(position + 3)].reduce(0) { $0 << 8 | Int($1) }
        }
        return types
    }

    /// Takes the body that waits in a stream.
    func take(_ stream: H2Stream) {
        while let chunk = stream.takeInbox() {
            let bytes = chunk.readable
            answers[stream.id]?.body += (0..<bytes.count).map { bytes[$0] }
            session.consumed(stream, bytes.count)
            chunks.give(chunk)
        }
    }

    func takeStalled(_ id: Int32) {
        stalled.remove(id)
        if let stream = streams[id] { take(stream) }
    }

    private func lines(_ chunk: Chunk) -> [String] {
        let bytes = chunk.readable
        let text = String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        return text.split(separator: "\r\n").map(String.init).filter { $0.contains(": ") }
    }

    /// Opens a stream.
    func request(
        _ method: String = "GET", _ path: String = "/open/x", _ fields: String = "", body: [UInt8]? = nil,
        ends: Bool = true, trailers: String = ""
    ) throws -> Int32 {
        let opened = session.request(
            method: Array(method.utf8).span, scheme: Array("http".utf8).span,
            authority: Array("gw.example.com".utf8).span, path: Array(path.utf8).span,
            fields: Array(fields.utf8).span, ended: body == nil && ends)
        let stream = try #require(opened)
        let id = stream.id
        streams[id] = stream
        answers[id] = Answer()
        if let body { send(id, body) }
        if body != nil, ends { session.finish(stream, trailers: Array(trailers.utf8).span) }
        move()
        return id
    }

    /// Opens a stream with an extended CONNECT (RFC 8441).
    func connect(_ protocol: String, _ path: String, _ fields: String) throws -> Int32 {
        let opened = session.request(
            method: Array("CONNECT".utf8).span, scheme: Array("http".utf8).span,
            authority: Array("gw.example.com".utf8).span, path: Array(path.utf8).span,
            fields: Array(fields.utf8).span, ended: false, protocol: Array(`protocol`.utf8).span)
        let stream = try #require(opened)
        streams[stream.id] = stream
        answers[stream.id] = Answer()
        move()
        return stream.id
    }

    func send(_ id: Int32, _ body: [UInt8]) {
        guard let stream = streams[id] else { return }
        let chunk = chunks.take()
        chunk.append(body)
        session.send(stream, chunk)
    }

    func finish(_ id: Int32) {
        guard let stream = streams[id] else { return }
        session.finish(stream, trailers: [UInt8]().span)
    }

    func reset(_ id: Int32) {
        if let stream = streams[id] { session.reset(stream, code: H2Code.cancel) }
        move()
    }

    subscript(_ id: Int32) -> Answer { answers[id] ?? Answer() }
}

extension WorkerBench {
    /// A client of the listener that takes HTTP/2 by prior knowledge.
    func h2Client(_ limits: H2Limits = H2Limits()) -> H2Client { H2Client(client(), limits) }

    /// Turns until an answer is whole or its stream was reset.
    func answer(
        _ client: H2Client, _ id: Int32, sourceLocation: SourceLocation = #_sourceLocation
    ) -> H2Client.Answer {
        turn(
            until: {
                client.move()
                return client[id].isWhole || client[id].resetCode != nil
            }, sourceLocation: sourceLocation)
        return client[id]
    }
}
