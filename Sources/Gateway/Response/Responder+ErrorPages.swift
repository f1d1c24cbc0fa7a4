import Bytes
import Endpoints
import HTTP
import LoginPages
import Model

/// Error responses in the requested form: JSON, or a page for browsers.
extension Responder {
    private static let accept = Array("accept".utf8)

    /// Completes an error response with its body.
    ///
    /// - Parameters:
    ///   - json: the body unless a page is requested.
    ///   - asPage: whether a page is requested.
    func endError(_ exchange: Exchange, _ chunk: Chunk, _ json: Span<UInt8>, asPage: Bool) {
        guard asPage else {
            chunk.append("Content-Type: application/json\r\nCache-Control: no-store\r\n")
            endReply(exchange, chunk, json)
            return
        }
        let page = ErrorPage.response(status: exchange.response.status, requestID: exchange.requestIDText)
        for header in page.headers {
            chunk.ensureFree(header.name.utf8.count + header.value.utf8.count + 4)
            _ = HeadWriter.appendUntrusted(Array(header.name.utf8).span, Array(header.value.utf8).span, to: chunk)
        }
        endReply(exchange, chunk, page.body.span)
    }

    /// Whether the request's `Accept` prefers HTML; `requestHeaders` may belong to another request by now. Evaluated
    /// only for failed requests.
    func prefersPage(_ exchange: Exchange) -> Bool {
        guard let client = exchange.client, !shared.isAdmin(listener: client.listener) else { return false }
        // The head was consumed when it was serialised for the upstream.
        if let sent = exchange.sent.chunk { return prefersPage(sent.beginning(exchange.sent.length)) }
        // An invalid head has no preference.
        guard exchange.head.length > 0, let buffer = exchange.headBuffer else { return false }
        guard let stream = exchange.stream else {
            return prefersPage(buffer.readable.extracting(first: exchange.head.length))
        }
        stream.load(into: requestHeaders)
        return requestHeaders.value(.accept).map { AcceptField.prefersHTML($0, buffer.readable) } ?? false
    }

    private func prefersPage(_ head: Span<UInt8>) -> Bool {
        RequestText.field(Responder.accept, in: head).map { AcceptField.prefersHTML($0, head) } ?? false
    }

    /// Answers a browser's request for an icon without a route.
    func answerIcon(_ exchange: Exchange) {
        exchange.response.reason = .noIcon
        let chunk = beginReply(exchange, status: 204, bodyLength: 0)
        HeadWriter.appendStatusLine(204, to: chunk)
        chunk.append("Cache-Control: max-age=86400\r\n")
        endReply(exchange, chunk, nil)
    }
}
