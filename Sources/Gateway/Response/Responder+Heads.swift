import Bytes
import HTTP
import Model
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
            responseHeaders, bytes, hasCookies: exchange.snapshot.hasBrowserCookies, own,
            location: requestedLocation(exchange, bytes), to: chunk)
        if let own { HeaderRewrite.append(own, exchange, to: chunk) }
        HeaderRewrite.appendRequestID(exchange, to: chunk)
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

    /// `Location` as the client has to request it, where the route maps it back; nil for the upstream's own.
    ///
    /// The path alone is written, so that the scheme and host are those that the client used (RFC 9110 section 10.2.2).
    private func requestedLocation(_ exchange: Exchange, _ bytes: Span<UInt8>) -> [UInt8]? {
        guard let rewrite = exchange.route?.rewrite, rewrite.mapsLocation,
            let range = responseHeaders.value(.location)
        else { return nil }
        let path = requestedPath(Array(copying: bytes.slice(range)), rewrite, exchange)
        // Browsers read two slashes, of which one may be a backslash or have control characters before it, as another host.
        guard let path, path.allSatisfy({ $0 > ASCII.space && $0 != 0x7f }),
            path.count < 2 || path[1] != ASCII.slash && path[1] != ASCII.backslash
        else { return nil }
        return path
    }

    /// Nil for a location that stays.
    private func requestedPath(_ value: [UInt8], _ rewrite: PathRewrite, _ exchange: Exchange) -> [UInt8]? {
        if value.starts(with: [ASCII.slash, ASCII.slash]) { return nil }
        if value.first == ASCII.slash { return rewrite.requested(for: value.span) }
        let text = String(decoding: value, as: UTF8.self)
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        let rest = value.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { [ASCII.slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) } ?? rest.endIndex
        guard isOwnAuthority(Array(rest[..<end]), exchange) else { return nil }
        let path = rest[end...].first == ASCII.slash ? Array(rest[end...]) : [ASCII.slash] + rest[end...]
        return rewrite.requested(for: path.span) ?? path
    }

    /// Whether an authority is that of the upstream's server or one that it got with the request.
    private func isOwnAuthority(_ authority: [UInt8], _ exchange: Exchange) -> Bool {
        if let own = exchange.server?.authority, bytesEqualIgnoringCase(authority.span, own.span) { return true }
        guard let sent = exchange.sent.chunk else { return false }
        let head = sent.beginning(exchange.sent.length)
        if bytesEqualIgnoringCase(RequestText.host(head), authority.span) { return true }
        guard let range = RequestText.field(Responder.forwardedHost, in: head) else { return false }
        // A blank follows the colon.
        return bytesEqualIgnoringCase(head.slice(range).extracting(droppingFirst: 1), authority.span)
    }

    private static let forwardedHost = Array("x-forwarded-host".utf8)

    private func appendLength(_ count: Int, to chunk: Chunk) {
        chunk.append("Content-Length: ")
        chunk.append(decimal: count)
        chunk.append("\r\n")
    }
}
