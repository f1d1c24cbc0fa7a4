import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Answers of listeners and routes that forward nothing.
extension Responder {
    /// Sends the client to the same resource by `https`.
    func redirect(_ exchange: Exchange, _ redirect: HTTPSRedirect, _ bytes: Span<UInt8>) {
        let location = poller.chunks.take()
        defer { poller.chunks.give(location) }
        guard HTTPSLocation.append(exchange.head, bytes, port: redirect.port, to: location) else {
            if exchange.head.authority.isEmpty {
                reply(exchange, .missingHost, "the request names no host")
            } else {
                reply(exchange, .noRoute, "no such resource")
            }
            return
        }
        guard exchange.snapshot.redirects(exchange.head, bytes) else {
            return reply(exchange, .unknownHost, "the gateway does not have this name")
        }
        send(exchange, to: location, status: redirect.status)
    }

    /// Answers a request that the route of the exchange has admitted.
    func answer(_ exchange: Exchange, _ route: Route, _ bytes: Span<UInt8>) {
        switch route.entry.answer {
        case .redirect(let rule):
            let location = poller.chunks.take()
            defer { poller.chunks.give(location) }
            let path = exchange.path
            rule.append(
                path: path.readable, query: exchange.head.query, of: bytes, rewrite: route.rewrite, to: location)
            send(exchange, to: location, status: rule.status)
        case .response(let response): send(response, exchange)
        case nil: reply(exchange, .noRoute, "no such resource")
        }
    }

    private func send(_ exchange: Exchange, to location: Chunk, status: Int) {
        exchange.response.reason = .redirected
        let chunk = beginReply(exchange, status: status, bodyLength: location.count)
        HeadWriter.appendStatusLine(status, to: chunk)
        HeadWriter.appendField("Location", location.readable, to: chunk)
        let nothing: [UInt8] = []
        endReply(exchange, chunk, nothing.span)
    }

    private func send(_ response: RouteResponse, _ exchange: Exchange) {
        exchange.response.reason = .responded
        let chunk = beginReply(exchange, status: response.status, bodyLength: response.body.utf8.count)
        HeadWriter.appendStatusLine(response.status, to: chunk)
        if !response.body.isEmpty { HeadWriter.appendField("Content-Type", response.contentType.utf8.span, to: chunk) }
        // RFC 9110 section 8.6: the length of a 304 would be that of another response.
        if response.status == 304 {
            endReply(exchange, chunk, nil)
        } else {
            endReply(exchange, chunk, response.body.utf8.span)
        }
    }
}
