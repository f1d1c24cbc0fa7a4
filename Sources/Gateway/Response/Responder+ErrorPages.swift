import Bytes
import Endpoints
import HTTP
import Model

/// Error responses in the requested form: JSON, or a page for browsers.
extension Responder {
    private static let accept = Array("accept".utf8)
    private static let acceptLanguage = Array("accept-language".utf8)

    /// Completes an error response with its body.
    ///
    /// - Parameters:
    ///   - json: the body unless a page is requested.
    ///   - asPage: whether a page is requested.
    ///   - account: what the page says of the caller; nil for nothing.
    ///   - home: URL at the host where browsers log in, if this is another one.
    func endError(
        _ exchange: Exchange, _ chunk: Chunk, _ json: Span<UInt8>, asPage: Bool, account: ShownError.Account? = nil,
        home: String? = nil
    ) {
        guard asPage, let errorPage = exchange.snapshot.errorPage else {
            chunk.append("Content-Type: application/json\r\nCache-Control: no-store\r\n")
            endReply(exchange, chunk, json)
            return
        }
        // Several fields are one list (RFC 9110 section 5.3).
        var languages = ""
        readFields(exchange, Responder.acceptLanguage) { range, bytes in
            if !languages.isEmpty { languages += "," }
            languages += String(copying: bytes.slice(range))
            return .more
        }
        let page = errorPage(
            ShownError(
                status: exchange.response.status, requestID: exchange.requestIDText, languages: languages,
                account: account, home: home))
        for header in page.headers {
            chunk.ensureFree(header.name.utf8.count + header.value.utf8.count + 4)
            _ = HeadWriter.appendUntrusted(Array(header.name.utf8).span, Array(header.value.utf8).span, to: chunk)
        }
        endReply(exchange, chunk, page.body.span)
    }

    /// Whether the request's `Accept` prefers HTML. Evaluated only for failed requests.
    func prefersPage(_ exchange: Exchange) -> Bool {
        guard let client = exchange.client, !shared.isAdmin(listener: client.listener) else { return false }
        var prefersHTML = false
        readFields(exchange, Responder.accept) { range, bytes in
            prefersHTML = AcceptField.prefersHTML(range, bytes)
            return .done
        }
        return prefersHTML
    }

    /// Reads the fields of this name, in lower case, until `read` is done; `requestHeaders` may belong to another request by
    /// now.
    func readFields(
        _ exchange: Exchange, _ name: [UInt8], _ read: (ByteRange, Span<UInt8>) -> FieldReading
    ) {
        // The head was consumed when it was serialised for the upstream.
        if let sent = exchange.sent.chunk {
            readFields(name, in: sent.beginning(exchange.sent.length), read)
            return
        }
        // An invalid head has no preference.
        guard exchange.head.length > 0, let buffer = exchange.headBuffer else { return }
        guard let stream = exchange.stream else {
            readFields(name, in: buffer.readable.extracting(first: exchange.head.length), read)
            return
        }
        stream.load(into: requestHeaders)
        for place in 0..<requestHeaders.count {
            let field = requestHeaders[place]
            if bytesEqualIgnoringCase(buffer.readable.slice(field.name), name.span),
                read(field.value, buffer.readable) == .done
            {
                return
            }
        }
    }

    private func readFields(
        _ name: [UInt8], in head: Span<UInt8>, _ read: (ByteRange, Span<UInt8>) -> FieldReading
    ) {
        var start = 0
        while let range = RequestText.field(name, in: head, from: start), read(range, head) == .more {
            start = Int(range.end) + 2
        }
    }

    enum FieldReading {
        case more, done
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
