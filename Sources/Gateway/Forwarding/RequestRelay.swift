import Bytes
import HTTP
import Model
import Reactor

/// Relays request bodies from clients to upstreams.
final class RequestRelay: LoopPart {
    private let exchanges: ExchangeTable
    private let responder: Responder

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ responder: Responder) {
        self.exchanges = exchanges
        self.responder = responder
        super.init(context)
    }

    /// Relays bytes of the request body in the client's inbox.
    func relay(_ exchange: Exchange) {
        // Bytes wait in the inbox until the connection is established; those of a following request wait for their
        // turn.
        guard exchange.stage == .forwarding, !exchange.requestBody.isComplete, let upstream = exchange.upstream,
            upstream.phase != .connecting, let source = exchange.clientSide, let target = upstream.side
        else { return }
        let limit = exchange.snapshot.bodyLimit(of: exchange.route)
        moving: while let inbox = source.inbox, !inbox.isEmpty, !exchange.requestBody.isComplete {
            if target.pendingBytes > transport.highWater { break }
            var body = exchange.requestBody
            let move = transport.moveBody(&body, from: source, inbox, to: target, limit: limit)
            exchange.requestBody = body
            transport.keepRequestTrailers(exchange)
            switch move {
            case .moved: continue
            case .broken:
                failRequestBody(exchange)
                return
            case .waiting: break moving
            case .tooLarge:
                responder.refuseLargeBody(exchange)
                return
            }
        }
        if source.isExhausted, !exchange.requestBody.isComplete, !endRequestBody(exchange, to: target) { return }
        if exchange.requestBody.isComplete {
            transport.endMessage(to: target, trailers: exchange.sent.trailers)
            exchanges.clearClientDeadline(exchange)
            poller.setDeadline(upstream, in: exchange.answerTimeout)
        } else if target.pendingBytes > transport.highWater {
            // The upstream is slower than the client, so its time runs instead of the client's.
            transport.pauseReading(source, until: target)
            exchanges.pauseRequestBody(exchange)
            poller.setDeadline(upstream, in: exchange.answerTimeout)
        } else {
            awaitRequestBody(upstream, exchange)
            transport.readMore(source)
        }
    }

    /// The stream, and with it the body, has ended. False if it was truncated and the exchange is answered.
    private func endRequestBody(_ exchange: Exchange, to target: Side) -> Bool {
        let output = poller.chunks.take()
        var body = exchange.requestBody
        let isWhole = transport.end(&body, received: exchange.stream?.trailers, into: output)
        exchange.requestBody = body
        transport.keepRequestTrailers(exchange)
        transport.send(output, to: target)
        if !isWhole { failRequestBody(exchange) }
        return isWhole
    }

    /// Starts the client's time for more of its body; the upstream's starts when the request is complete.
    private func awaitRequestBody(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if upstream.phase == .awaitingHead { upstream.deadline = .max }
        exchanges.paceRequestBody(exchange)
    }

    private func failRequestBody(_ exchange: Exchange) {
        responder.refuseBody(exchange, .malformedBody, "malformed request body")
    }

    func timedOut(_ exchange: Exchange) {
        responder.refuseBody(exchange, .bodyTimeout, "the request body did not come in time")
    }

    /// Sends the collected body after the head.
    func sendKeptBody(_ exchange: Exchange, to side: Side) {
        let body = exchange.collected
        let chunk = poller.chunks.take()
        chunk.ensureFree(body.count)
        chunk.append(body)
        transport.send(chunk, to: side)
        transport.endMessage(to: side, trailers: [])
    }
}
