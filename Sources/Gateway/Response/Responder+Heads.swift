import Bytes
import HTTP
import Policy

/// Heads of upstream responses, rewritten for the client.
extension Responder {
    /// The body's framing for the client: with a length, chunked, or until the connection closes (HTTP/1.0).
    func bodyTarget(_ head: ResponseHead, _ exchange: Exchange) -> BodyRelay.Target {
        exchange.response.isDelimited = true
        if exchange.stream != nil { return .frames }
        switch head.framing {
        case .none, .length: return .raw
        case .chunked, .untilClose:
            if exchange.head.minorVersion >= 1 { return .chunked }
            exchange.response.isDelimited = false
            exchange.endConnection()
            return .raw
        }
    }

    /// Writes the head, including the empty line; `bytes` is the buffer of `responseHeaders`.
    func writeHead(_ head: ResponseHead, _ exchange: Exchange, _ bytes: Span<UInt8>, to chunk: Chunk) {
        chunk.append("HTTP/1.1 ")
        chunk.append(decimal: head.status)
        chunk.append(ASCII.space)
        chunk.append(bytes.slice(head.reason))
        chunk.append("\r\n")
        let own = exchange.route?.responseFields
        HeaderRewrite.appendResponseFields(
            responseHeaders, bytes, hasCookies: exchange.snapshot.hasBrowserCookies, own, to: chunk)
        if let own { HeaderRewrite.append(own, exchange, to: chunk) }
        if responseHeaders.occurrences(.date) == 0 { appendDate(to: chunk) }
        appendCrossSite(exchange, status: head.status, to: chunk)
        // The client chooses the length of the origin, which may have used up the reserved space.
        chunk.ensureFree(Responder.smallFields)
        switch head.framing {
        case .length(let count): appendLength(count, to: chunk)
        case .none:
            // RFC 9110 section 8.6: no length on a 204, even if the upstream sends one.
            if head.status != 204, let count = head.declaredLength { appendLength(count, to: chunk) }
        case .chunked, .untilClose:
            if exchange.stream == nil, exchange.head.minorVersion >= 1 {
                chunk.append("Transfer-Encoding: chunked\r\n")
            }
        }
        appendConnection(exchange, to: chunk)
        chunk.append("\r\n")
    }

    private func appendLength(_ count: Int, to chunk: Chunk) {
        chunk.append("Content-Length: ")
        chunk.append(decimal: count)
        chunk.append("\r\n")
    }
}
