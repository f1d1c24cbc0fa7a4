import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import Policy
import Reactor

/// The gateway's own endpoints: routes whose upstream is the token service.
///
/// A grant costs as much as several forwarded requests, and its client waits for a signature anyway. Grants are
/// therefore queued, and the loop handles other events before each of them.
final class EndpointService: LoopPart {
    let line = EndpointQueue()
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    let responder: Responder
    private let blocking: BlockingWork

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ responder: Responder,
        _ blocking: BlockingWork
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.responder = responder
        self.blocking = blocking
        super.init(context)
    }

    /// Queues a complete request for an endpoint.
    func enqueue(_ exchange: Exchange, _ endpoint: EndpointDescriptor) {
        guard endpoint.cost == .signature else {
            exchanges.clearClientDeadline(exchange)
            call(exchange)
            return
        }
        exchanges.park(exchange, in: .inEndpoint)
        line.append(exchange)
    }

    /// Serves one queued request and leaves the others for later turns, so that other requests wait for one signature
    /// at most, however many clients request tokens.
    func serveQueue() {
        guard let exchange = line.next() else { return }
        exchanges.clearClientDeadline(exchange)
        call(exchange)
    }

    /// Passes a complete request to the token service, directly or on the computing pool.
    func call(_ exchange: Exchange) {
        guard let endpoint = exchange.endpoint else { return }
        guard let buffer = exchanges.reread(exchange) else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        let length = exchange.head.length
        exchange.head.length += exchange.bodySeen
        guard responder.isStreamSafe(exchange, buffer.readable, length: length) else { return }
        let handler = exchange.snapshot.endpointHandlers[endpoint.index]
        answer(handler(endpointRequest(exchange, buffer.readable), poller.wallSeconds), exchange)
    }

    /// Answers with the endpoint's response once it is known.
    func answer(_ effect: Effect<EndpointResponse>, _ exchange: Exchange) {
        let identity = exchange.identity
        switch effect {
        case .done(let response): responder.respond(exchange, response)
        case .offload(let work):
            blocking.park(exchange, in: .inEndpoint, shared.computing) { .endpoint(exchange: identity, work()) }
        case .hash(let priority, let work):
            blocking.park(exchange, in: .inEndpoint, shared.hashes, priority) { .endpoint(exchange: identity, work()) }
        case .await(let begin):
            exchanges.park(exchange, in: .inEndpoint)
            let mailbox = context.mailbox
            begin { mailbox.post(.endpoint(exchange: identity, $0)) }
        }
    }

    private func endpointRequest(_ exchange: Exchange, _ bytes: Span<UInt8>) -> EndpointRequest {
        func text(_ range: ByteRange) -> String { String(copying: bytes.slice(range)) }
        let path = exchange.path
        var query: [UInt8] = []
        if let range = exchange.head.query { query = [UInt8](copying: bytes.slice(range)) }
        var authorization: [String] = []
        var fields: [(name: String, value: String)] = []
        for i in 0..<requestHeaders.count {
            if requestHeaders[i].token == .authorization {
                authorization.append(text(requestHeaders[i].value))
            } else {
                fields.append((name: text(requestHeaders[i].name).lowercased(), value: text(requestHeaders[i].value)))
            }
        }
        var request = EndpointRequest(
            method: exchange.head.method, path: String(copying: path.readable), query: query,
            contentType: requestHeaders.value(.contentType).map(text), authorization: authorization,
            body: exchange.collected, secure: exchange.isSecure, principal: exchange.principal,
            address: exchange.address, requestID: exchange.requestIDText, fields: fields)
        request.certificateDigest = exchange.snapshot.ownCertificate(of: exchange)?.digest(at: poller.wallSeconds)
        request.authority = text(exchange.head.authority)
        return request
    }
}

extension Exchange {
    /// `requestID` as text, for logs.
    var requestIDText: String {
        let id = requestID
        return String(copying: id.readable)
    }
}
