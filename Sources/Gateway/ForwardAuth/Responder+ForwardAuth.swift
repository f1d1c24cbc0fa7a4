import Bytes
import HTTP
import Identity
import Model
import Policy

/// Responses to proxies that ask for decisions.
extension Responder {
    /// Allows a proxy to forward the request, with the fields for the upstream.
    func allow(_ exchange: Exchange, _ question: ForwardAuthQuestion, _ route: Route, _ bytes: Span<UInt8>) {
        exchange.response.reason = .forwardAuthAllowed
        let chunk = beginReply(exchange, status: 200, bodyLength: bytes.count)
        HeadWriter.appendStatusLine(200, to: chunk)
        let answer = ForwardAuthAnswer(exchange, route, requestHeaders)
        answer.append(bytes, to: chunk)
        if case .prefixed = question.form { answer.appendRemovals(bytes, to: chunk) }
        chunk.append("Cache-Control: no-store\r\n")
        let nothing: [UInt8] = []
        endReply(exchange, chunk, nothing.span)
    }

    /// The origin of the login form for a browser of another proxy.
    func loginOrigin(_ exchange: Exchange, _ bytes: Span<UInt8>) -> [UInt8] {
        let scheme = exchange.isSecure ? "https" : "http"
        let requested = "\(scheme)://\(String(copying: bytes.slice(exchange.head.authority)))"
        let origin = exchange.snapshot.names.origin(for: try? WebOrigin(requested))
        return origin.map { Array($0.description.utf8) } ?? []
    }
}
