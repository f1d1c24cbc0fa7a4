import Bytes
import HTTP
import Model
import Reactor

/// Lets the beginning of a request body arrive while the upstream is full, so that a slow client waits for its own bytes
/// and holds no place meanwhile. The bytes stay with the client's side: in the inbox of its connection, or of its stream.
final class BodyArrival: LoopPart {
    enum State {
        /// The body is complete, or so much of it there as is buffered.
        case there
        case arriving
        /// The body is malformed, and the request answered.
        case refused
    }

    private let exchanges: ExchangeTable
    private let responder: Responder

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ responder: Responder) {
        self.exchanges = exchanges
        self.responder = responder
        super.init(context)
    }

    /// The progress of a request body, kept from when it is first asked for.
    static func progress(of exchange: Exchange) -> UploadProgress {
        if let known = exchange.attempt.upload { return known }
        let made = UploadProgress(exchange.requestBody.discarding(), since: exchange.times.forwardedAt / 1000)
        exchange.attempt.upload = made
        return made
    }

    /// How much of the body is there.
    func state(of exchange: Exchange) -> State {
        guard !exchange.requestBody.isComplete, let side = exchange.clientSide else { return .there }
        let limit = exchange.snapshot.limits.bufferedBodyBytes
        guard limit > 0 else { return .there }
        switch side {
        case .socket(let socket): return state(of: exchange, socket, limit)
        case .stream(let stream, let link):
            BodyArrival.progress(of: exchange).there = stream.unread
            if stream.ended || stream.unread >= limit { return .there }
            // The window of a stream may be smaller than the limit, and that of the connection is shared.
            link.session.consumed(stream, stream.unread)
            transport.queue(link)
            return .arriving
        }
    }

    private func state(of exchange: Exchange, _ socket: Socket, _ limit: Int) -> State {
        let upload = BodyArrival.progress(of: exchange)
        guard let inbox = socket.inbox else { return .arriving }
        upload.there = inbox.count
        if inbox.count >= limit { return .there }
        if let remaining = exchange.requestBody.remainingLength {
            if inbox.count >= remaining { return .there }
        } else {
            guard readFraming(upload, inbox) else {
                responder.refuseBody(exchange, .malformedBody, "malformed request body")
                return .refused
            }
            if upload.reader.isComplete { return .there }
        }
        if inbox.free == 0 { poller.growInbox(socket, toHold: min(inbox.count * 2, limit)) }
        return .arriving
    }

    /// Reads the framing of bytes that have come. False if it is malformed.
    private func readFraming(_ upload: UploadProgress, _ inbox: Chunk) -> Bool {
        let sink = poller.chunks.take()
        defer { poller.chunks.give(sink) }
        while !upload.reader.isComplete, upload.read < inbox.count {
            guard let used = try? upload.reader.relay(inbox.readable.extracting(upload.read...), into: sink) else {
                return false
            }
            if used == 0 { break }
            upload.read += used
        }
        return true
    }

    /// The request waits for its body.
    func begin(_ exchange: Exchange, _ group: UpstreamGroup) {
        BodyArrival.progress(of: exchange).isArriving = true
        group.queue.arrives(of: exchange.address?.subscriber)
        if exchange.head.expectsContinue {
            let chunk = poller.chunks.take()
            chunk.append("HTTP/1.1 100 Continue\r\n\r\n")
            transport.sendInterim(chunk, status: 100, to: exchange)
            // From now on the client sends the body in any case.
            exchange.head.expectsContinue = false
        }
        goOn(exchange)
    }

    /// Reads on.
    func goOn(_ exchange: Exchange) {
        exchanges.paceRequestBody(exchange)
        if let side = exchange.clientSide { transport.readMore(side) }
    }

    /// The beginning of the body is there: stops the client's time while its request waits for room.
    func end(_ exchange: Exchange, _ group: UpstreamGroup) {
        BodyArrival.progress(of: exchange).isArriving = false
        group.queue.arrived(of: exchange.address?.subscriber)
        exchanges.pauseRequestBody(exchange)
    }
}
