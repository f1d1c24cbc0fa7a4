import Bytes
import HTTP
import Reactor

/// Moves bytes at the sides of exchanges, for both protocols.
final class Transport {
    private let poller: Poller
    /// HTTP/2 connections with frames to send.
    let frames = FrameQueue()
    /// Trailer fields of the body part that was just moved.
    private let trailerLines = Chunk(capacity: 1024)
    /// Pending output on one side at which reading from the other stops; lower when memory is short.
    var highWater = Transport.usualHighWater
    static let usualHighWater = 64 * 1024

    init(_ poller: Poller) { self.poller = poller }

    /// Sends the connection's frames at the end of the turn.
    func queue(_ link: H2Link) { frames.add(link) }

    /// Frames and sends the pending output of the connection's streams, as far as the peer takes it.
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

    /// Sends the chunk, now or when the peer takes it. Takes ownership of the chunk.
    func send(_ chunk: Chunk, to side: Side) {
        switch side {
        case .socket(let socket): poller.send(socket, chunk)
        case .stream(let stream, let link):
            link.session.send(stream, chunk)
            queue(link)
        }
    }

    /// Stops reading until `target` has room, which applies back-pressure by the protocol's flow control. Streams need
    /// nothing for that: their peers get credit only for consumed bytes.
    func pauseReading(_ side: Side, until target: Side) {
        if case .socket(let socket) = side { poller.pauseReading(socket) }
        if case .stream(let stream, let link) = target { link.session.notifyOfRoom(stream) }
    }

    /// Resumes reading. Bytes that arrived at a socket meanwhile are reported by a completion.
    func resumeReading(_ side: Side) {
        if case .socket(let socket) = side { poller.resumeReading(socket) }
    }

    /// Continues reading after inbox bytes were consumed.
    func readMore(_ side: Side) {
        if case .socket(let socket) = side { poller.readMore(socket) }
    }

    /// Removes the first chunk of unread bytes; the caller sends it or returns it to the pool.
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

    /// Discards bytes at the front of the inbox.
    func consume(_ count: Int, of inbox: Chunk, from side: Side) {
        switch side {
        case .socket: inbox.consume(count)
        case .stream(let stream, let link):
            link.session.consume(count, of: stream)
            queue(link)
        }
    }

    // MARK: Heads

    /// Sends a 1xx response, whose complete head is in the chunk.
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

    /// Sends a response head, which is completely in the chunk. A body follows unless it has `ended`.
    func sendHead(_ chunk: Chunk, ended: Bool, of exchange: Exchange, to side: Side) {
        switch side {
        case .socket(let socket): poller.send(socket, chunk)
        case .stream(let stream, let link):
            let lines = HeadWriter.fieldLines(chunk.readable)
            let status = exchange.response.isOfCall ? 200 : exchange.response.status
            link.session.respond(stream, status: status, fields: lines, ended: ended)
            poller.chunks.give(chunk)
            queue(link)
        }
    }

    /// Sends a complete response, whose head is in the chunk.
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

    /// Ends the response. A stream needs a frame; otherwise the body's framing ends it.
    func endMessage(to side: Side, trailers: [UInt8]) {
        guard case .stream(let stream, let link) = side else { return }
        link.session.finish(stream, trailers: trailers.span)
        queue(link)
    }

    // MARK: Bodies

    enum BodyMove { case moved, waiting, broken, tooLarge }

    /// Moves the inbox's part of a body to the other side, by reference if the framing allows it. A body longer than
    /// `limit` is stopped there: a refused request must not arrive completely.
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

    /// The sender of a body has ended it; for a stream, with its trailer fields. False if the body was truncated.
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
