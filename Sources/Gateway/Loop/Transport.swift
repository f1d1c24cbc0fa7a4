import Bytes
import HTTP
import Reactor

/// Moves bytes at the ends of exchanges, over either protocol.
final class Transport {
    private let poller: Poller
    /// HTTP/2 connections that may have frames to send.
    let frames = FrameQueue()
    /// Trailer fields of the piece of a body that was just moved.
    private let trailerLines = Chunk(capacity: 1024)
    /// Unsent bytes toward one side at which reading from the other stops; less where memory is short.
    var highWater = Transport.usualHighWater
    static let usualHighWater = 64 * 1024

    init(_ poller: Poller) { self.poller = poller }

    /// Has the connection send its frames at the end of the turn.
    func queue(_ link: H2Link) { frames.add(link) }

    /// Frames and sends what the connection's streams have, as far as the peer takes it.
    func flush(_ link: H2Link) {
        let socket = link.socket
        while link.session.wantsToSend, socket.pendingBytes <= highWater {
            let chunk = poller.chunks.take()
            _ = link.session.produce(into: chunk, upTo: chunk.capacity)
            guard !chunk.isEmpty else {
                poller.chunks.give(chunk)
                break
            }
            poller.send(socket, chunk)
        }
    }

    // MARK: Ends

    /// Sends what the chunk holds, now or when the peer takes it, and takes the chunk over.
    func send(_ chunk: Chunk, to side: Side) {
        switch side {
        case .socket(let socket): poller.send(socket, chunk)
        case .stream(let stream, let link):
            link.session.send(stream, chunk)
            queue(link)
        }
    }

    /// Stops reading until `target` has told that it has room again: the peer is slowed down by the flow control of its
    /// protocol. A stream needs nothing for that: its peer has credit for what was consumed, and for no more.
    func pauseReading(_ side: Side, until target: Side) {
        if case .socket(let socket) = side { poller.pauseReading(socket) }
        if case .stream(let stream, let link) = target { link.session.notifyOfRoom(stream) }
    }

    /// Reads again. What has come to a socket in between is told by a completion.
    func resumeReading(_ side: Side) {
        if case .socket(let socket) = side { poller.resumeReading(socket) }
    }

    /// Reads on after bytes of the inbox were consumed.
    func readMore(_ side: Side) {
        if case .socket(let socket) = side { poller.readMore(socket) }
    }

    /// Takes the first chunk of unread bytes away; the caller sends it or gives it back to the pool.
    func takeInbox(_ side: Side) -> Chunk? {
        switch side {
        case .socket(let socket): return poller.takeInbox(socket)
        case .stream(let stream, let link):
            guard let chunk = stream.takeInbox() else { return nil }
            link.session.consumed(stream, chunk.count)
            queue(link)
            return chunk
        }
    }

    /// Drops bytes from the front of the inbox.
    func consume(_ count: Int, of inbox: Chunk, from side: Side) {
        switch side {
        case .socket: inbox.consume(count)
        case .stream(let stream, let link):
            link.session.consume(count, of: stream)
            queue(link)
        }
    }

    // MARK: Heads

    /// Sends a 1xx. The chunk holds its whole head.
    func sendInterim(_ chunk: Chunk, status: Int, to exchange: Exchange) {
        switch exchange.clientSide {
        case .none: poller.chunks.give(chunk)
        case .socket(let socket): poller.send(socket, chunk)
        case .stream(let stream, let link):
            link.session.interim(stream, status: status, fields: HeadWriter.fieldLines(chunk.readable))
            poller.chunks.give(chunk)
            queue(link)
        }
    }

    /// Sends the head of a response, which the chunk holds whole. The body follows unless it has `ended`.
    func sendHead(_ chunk: Chunk, ended: Bool, of exchange: Exchange, to side: Side) {
        switch side {
        case .socket(let socket): poller.send(socket, chunk)
        case .stream(let stream, let link):
            let lines = HeadWriter.fieldLines(chunk.readable)
            link.session.respond(stream, status: exchange.response.status, fields: lines, ended: ended)
            poller.chunks.give(chunk)
            queue(link)
        }
    }

    /// Sends a response that is complete: the chunk holds the head.
    func sendWhole(_ chunk: Chunk, _ body: Span<UInt8>?, of exchange: Exchange, to side: Side) {
        guard case .stream = side, let body, !body.isEmpty else {
            if let body { chunk.append(body) }
            sendHead(chunk, ended: true, of: exchange, to: side)
            return
        }
        sendHead(chunk, ended: false, of: exchange, to: side)
        let piece = poller.chunks.take()
        piece.append(body)
        send(piece, to: side)
        endMessage(to: side, trailers: [])
    }

    /// The body of the response is whole. A stream needs a frame for it; elsewhere the framing of the body ends it.
    func endMessage(to side: Side, trailers: [UInt8]) {
        guard case .stream(let stream, let link) = side else { return }
        link.session.finish(stream, trailers: trailers.span)
        queue(link)
    }

    // MARK: Bodies

    enum BodyMove { case moved, waiting, broken, tooLarge }

    /// Moves what one inbox holds of a body to the other side: by reference where framing allows it. Of a body that is
    /// longer than `limit`, nothing beyond goes on: a request that is refused must not arrive whole.
    func moveBody(
        _ body: inout BodyRelay, from source: Side, _ inbox: Chunk, to target: Side, limit: Int? = nil
    ) -> BodyMove {
        if body.isPassThrough {
            let available = inbox.count
            let taken = body.passThrough(available)
            if let limit, body.passed > limit { return .tooLarge }
            if taken == available, let whole = takeInbox(source) {
                send(whole, to: target)
            } else {
                let part = poller.chunks.take()
                part.ensureFree(taken)
                part.append(inbox.readable.extracting(first: taken))
                consume(taken, of: inbox, from: source)
                send(part, to: target)
            }
            return .moved
        }
        let output = poller.chunks.take()
        guard let used = try? body.relay(inbox.readable, into: output, trailers: trailerLines) else {
            poller.chunks.give(output)
            return .broken
        }
        if let limit, body.passed > limit {
            poller.chunks.give(output)
            return .tooLarge
        }
        consume(used, of: inbox, from: source)
        send(output, to: target)
        return used > 0 ? .moved : .waiting
    }

    /// The sender of a body has said its last byte, and its trailer fields where it is a stream. Answers false where the
    /// body was cut off.
    func end(_ body: inout BodyRelay, received: Chunk?, into output: Chunk) -> Bool {
        guard let received else { return body.end(into: output) }
        return body.end(into: output, received: received.readable, trailers: trailerLines)
    }

    func keepRequestTrailers(_ exchange: Exchange) {
        if !trailerLines.isEmpty { exchange.sent.trailers = exchange.sent.trailers + takeTrailerLines() }
    }

    func keepResponseTrailers(_ exchange: Exchange) {
        if !trailerLines.isEmpty { exchange.response.trailers = exchange.response.trailers + takeTrailerLines() }
    }

    private func takeTrailerLines() -> [UInt8] {
        let lines = trailerLines
        defer { lines.reset() }
        return [UInt8](copying: lines.readable)
    }
}
