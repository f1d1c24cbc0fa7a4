import Bytes
import HTTP
import Identity
import Model
import Policy

/// The answer to an error that the configuration gives.
struct ConfiguredAnswer {
    let status: Int
    /// Nil for a problem document.
    let entry: ErrorAnswers.Entry?
}

/// Errors as `errors` and `errorFormat` of the configuration want them.
extension Responder {
    private static let usual: StaticString = "Cache-Control: no-store\r\n"

    /// Whether the configuration may have an answer to an error of this exchange.
    func hasOwnAnswers(_ exchange: Exchange) -> Bool { answers(to: exchange) != nil }

    /// The answer to an error; nil for the usual form.
    ///
    /// - Parameter asPage: whether the request prefers HTML.
    func ownAnswer(_ exchange: Exchange, _ reason: Reason, asPage: Bool) -> ConfiguredAnswer? {
        guard let answers = answers(to: exchange) else { return nil }
        let method = exchange.head.method
        if let entry = answers.entry(
            for: reason, isBrowser: asPage, mayRedirect: method == .get || method == .head)
        {
            return ConfiguredAnswer(status: entry.status ?? reason.status, entry: entry)
        }
        return answers.usesProblems && !asPage ? ConfiguredAnswer(status: reason.status, entry: nil) : nil
    }

    /// Those of the route, or where none matched, of all routes. Endpoints have forms of their own, and so have listeners
    /// without routes and requests that are no valid HTTP. A malformed question of a proxy gets the gateway's own form.
    private func answers(to exchange: Exchange) -> ErrorAnswers? {
        if let route = exchange.route { return route.errors }
        guard let answers = exchange.snapshot.policy.routes.errors, exchange.endpoint == nil, exchange.head.length > 0,
            !exchange.path.isEmpty
        else { return nil }
        switch exchange.client?.role {
        case .proxy: return answers
        case .forwardAuth:
            return [.forwardAuthUntrusted, .forwardAuthMalformed].contains(exchange.response.reason) ? nil : answers
        default: return nil
        }
    }

    /// Completes an error response whose status line and fields of the error have been written.
    func end(_ exchange: Exchange, _ chunk: Chunk, _ answer: ConfiguredAnswer, detail: String) {
        chunk.append(Responder.usual)
        guard let entry = answer.entry else {
            chunk.append("Content-Type: application/problem+json\r\n")
            endReply(exchange, chunk, problem(exchange, detail).span)
            return
        }
        let text = text(of: entry, exchange, detail)
        if entry.isRedirect {
            HeadWriter.appendField("Location", text.span, to: chunk)
            let nothing: [UInt8] = []
            endReply(exchange, chunk, nothing.span, fields: entry.fields)
        } else {
            let contentType = entry.contentType
            HeadWriter.appendField("Content-Type", contentType.span, to: chunk)
            endReply(exchange, chunk, text.span, fields: entry.fields)
        }
    }

    /// A problem document (RFC 9457 section 3).
    private func problem(_ exchange: Exchange, _ detail: String) -> [UInt8] {
        let (status, path) = (exchange.response.status, exchange.path)
        return JSONWriter.object { body in
            body.member("type", "about:blank")
            body.member("title", "\(StatusReason.text(status))")
            body.member("status", status)
            body.member("detail", detail)
            if !path.isEmpty { body.member("instance", text: path.readable) }
            body.member("reason", exchange.response.reason.publicCode)
            body.member("request_id", exchange.requestIDText)
        }
    }

    /// The text of an answer. A value that the request does not have is empty.
    private func text(of entry: ErrorAnswers.Entry, _ exchange: Exchange, _ detail: String) -> [UInt8] {
        var text: [UInt8] = []
        let principal = exchange.principal
        for piece in entry.pieces {
            let value: String
            switch piece {
            case .text(let fixed):
                text += fixed
                continue
            case .status: value = String(exchange.response.status)
            case .reason: value = exchange.response.reason.publicCode
            case .message: value = detail
            case .path:
                let path = exchange.path
                value = String(copying: path.readable)
            case .user: value = principal?.subject ?? ""
            case .issuer: value = principal?.issuer ?? ""
            case .roles: value = principal.map { String(decoding: $0.roleField, as: UTF8.self) } ?? ""
            case .clientIP: value = exchange.address?.description ?? ""
            case .requestID: value = exchange.requestIDText
            case .claim(let index):
                let fields = principal?.claims.fields ?? []
                value = fields.indices.contains(index) ? String(decoding: fields[index], as: UTF8.self) : ""
            }
            entry.escaping.append(value, to: &text)
        }
        return text
    }
}
