import Bytes
import HTTP
import Model
import Reactor

/// Answers that send the client to another URL.
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
        exchange.response.reason = .redirected
        let chunk = beginReply(exchange, status: redirect.status, bodyLength: location.count)
        HeadWriter.appendStatusLine(redirect.status, to: chunk)
        HeadWriter.appendField("Location", location.readable, to: chunk)
        let nothing: [UInt8] = []
        endReply(exchange, chunk, nothing.span)
    }
}
