import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Reads request bodies as a whole: for the gateway's own endpoints, for decisions by the body, and for requests that may be
/// repeated.
final class BodyCollector: LoopPart {
    let exchanges: ExchangeTable
    let responder: Responder

    init(_ context: LoopContext, _ exchanges: ExchangeTable, _ responder: Responder) {
        self.exchanges = exchanges
        self.responder = responder
        super.init(context)
    }

    /// Begins to read the whole body. Returns whether it is already complete.
    func begin(_ exchange: Exchange, _ use: Exchange.BodyUse) -> Bool {
        if let remaining = exchange.requestBody.remainingLength, remaining > largestBody(exchange, for: use) {
            responder.refuseLargeBody(exchange)
            return false
        }
        exchange.enter(.collectingBody(use))
        if exchange.decisionDeadline == .max {
            exchange.decisionDeadline = poller.now + exchange.snapshot.limits.decisionTimeout
        }
        // Endpoints get the body without framing.
        exchange.requestBody = BodyRelay(exchange.head.framing, to: .raw)
        if exchange.head.expectsContinue, !exchange.requestBody.isComplete { sendContinue(exchange) }
        return received(exchange, use)
    }

    private func sendContinue(_ exchange: Exchange) {
        let chunk = poller.chunks.take()
        chunk.append("HTTP/1.1 100 Continue\r\n\r\n")
        transport.sendInterim(chunk, status: 100, to: exchange)
    }

    /// Consumes received body bytes. The head stays before them in the inbox, for the endpoint to read. Returns whether
    /// the body is complete.
    func received(_ exchange: Exchange, _ use: Exchange.BodyUse) -> Bool {
        let largest = largestBody(exchange, for: use)
        guard let side = exchange.clientSide else { return false }
        if case .stream = side {
            return collectFrames(exchange, side, largest)
        }
        guard let inbox = side.inbox else { return false }
        let headLength = exchange.head.length
        while !exchange.requestBody.isComplete, inbox.count > headLength + exchange.bodySeen {
            let output = poller.chunks.take()
            defer { poller.chunks.give(output) }
            let rest = inbox.readable.extracting((headLength + exchange.bodySeen)...)
            var body = exchange.requestBody
            guard let used = try? body.relay(rest, into: output) else {
                responder.refuseBody(exchange, .malformedBody, "malformed request body")
                return false
            }
            exchange.requestBody = body
            exchange.collect(output.readable)
            exchange.bodySeen += used
            // Limits framing too: tiny chunks with long extensions must not consume much memory.
            if exchange.collected.count > largest || exchange.bodySeen > 8 * largest {
                responder.refuseLargeBody(exchange)
                return false
            }
            if used == 0 { break }
        }
        if exchange.requestBody.isComplete { return true }
        if inbox.free == 0, case .socket(let socket) = side { poller.growInbox(socket, toHold: inbox.count * 2) }
        exchanges.paceRequestBody(exchange)
        transport.readMore(side)
        return false
    }

    /// Consumes received body bytes of a stream, whose head is stored separately.
    private func collectFrames(_ exchange: Exchange, _ side: Side, _ largest: Int) -> Bool {
        while let chunk = transport.takeInbox(side) {
            exchange.collect(chunk.readable)
            poller.chunks.give(chunk)
            if exchange.collected.count > largest {
                responder.refuseLargeBody(exchange)
                return false
            }
        }
        guard exchange.requestBody.isComplete || side.isExhausted else {
            exchanges.paceRequestBody(exchange)
            return false
        }
        exchange.requestBody = .empty
        return true
    }

    /// Maximum length of a body read as a whole, in bytes.
    private func largestBody(_ exchange: Exchange, for use: Exchange.BodyUse) -> Int {
        let largest: Int? =
            switch use {
            case .administration(let resource): resource.maximumBodyBytes
            case .endpoint: exchange.endpoint?.descriptor.largestBody
            case .upstream: exchange.route?.entry.options.challengeRule?.maximumKeptBody
            case .message:
                exchange.route?.messages.map {
                    min($0.maximumBytes, exchange.snapshot.bodyLimit(of: exchange.route) ?? .max)
                }
            }
        return largest ?? EndpointDescriptor.usualBody
    }
}
