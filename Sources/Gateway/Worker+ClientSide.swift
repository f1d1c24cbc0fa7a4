import Bytes
import HTTP
import Reactor

/// What an exchange does to its client's end, whatever protocol the client speaks.
extension Worker {
    // MARK: Reading

    /// The buffer that the head of the request stands in, at its front, until it is forwarded or answered.
    func headBuffer(_ exchange: Exchange) -> Chunk? { exchange.stream?.head ?? exchange.client?.socket?.inbox }

    /// Parses the head of a parked exchange again, into `requestHeaders`. Answers the buffer it stands in.
    func reread(_ exchange: Exchange) -> Chunk? {
        guard let buffer = headBuffer(exchange) else { return nil }
        if let stream = exchange.stream {
            stream.load(into: requestHeaders)
            return buffer
        }
        var parser = RequestParser(limits: exchange.snapshot.limits.head(exchange.client?.role ?? .proxy))
        guard case .head = parser.parse(buffer.readable, into: requestHeaders) else { return nil }
        return buffer
    }

    // MARK: Writing

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
            link.session.respond(stream, status: exchange.status, fields: lines, ended: ended)
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

    /// The body of the response is whole. Only a stream has to be told: elsewhere the framing says so.
    func endMessage(to side: Side, trailers: [UInt8]) {
        guard case .stream(let stream, let link) = side else { return }
        link.session.finish(stream, trailers: trailers.span)
        queue(link)
    }

    /// The connection is not for further requests: what comes behind this one could not be told from its body. Streams
    /// are told apart by their frames.
    func endConnection(after exchange: Exchange) {
        if exchange.stream == nil { exchange.client?.closing = true }
    }

    // MARK: Time

    /// The client must have done its part within so many milliseconds.
    func setClientDeadline(_ exchange: Exchange, in milliseconds: Int64) {
        setClientDeadline(exchange, at: poller.now + milliseconds)
    }

    func setClientDeadline(_ exchange: Exchange, at deadline: Int64) {
        if exchange.stream != nil {
            setDeadline(exchange, at: deadline)
        } else if let client = exchange.client {
            setDeadline(client, at: deadline)
        }
    }

    func clearClientDeadline(_ exchange: Exchange) {
        if exchange.stream != nil { exchange.deadline = .max } else { exchange.client?.deadline = .max }
    }
}
