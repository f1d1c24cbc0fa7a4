import Bytes
import HTTP
import Identity
import Model
import Policy

/// The step of decisions that is about messages to MCP servers: they are read whole, judged, and then sent on as they came.
final class MessageStep: LoopPart {
    /// What a request has.
    enum Content {
        /// No message: for a stream of events, or the end of a session.
        case none
        /// A message, which has to be read first.
        case message
        /// Something else; the exchange was answered.
        case refused
    }

    private let exchanges: ExchangeTable
    private let responder: Responder

    init(_ context: LoopContext, _ exchanges: ExchangeTable, responder: Responder) {
        self.exchanges = exchanges
        self.responder = responder
        super.init(context)
    }

    func begin(_ exchange: Exchange, _ bytes: Span<UInt8>) -> Content {
        exchange.response.message = MessageRecord()
        let isEmpty = exchange.head.framing == .none || exchange.head.framing == .length(0)
        let method = exchange.head.method
        // Only the gateway itself has the body: of what another proxy asks about, nothing is known.
        if exchange.forwardAuth == nil {
            if isEmpty, method != .post { return .none }
        } else if method == .get || method == .head || method == .delete {
            return .none
        } else {
            responder.deny(exchange, .forwardAuthUnsupported, at: .message, bytes)
            return .refused
        }
        if isJSON(bytes) { return .message }
        let detail = "the body has to be application/json in UTF-8, without a content coding"
        refuse(exchange, .messageInvalid, with: MCPMessage.Problem(detail), bytes: bytes)
        return .refused
    }

    /// Judges a message that has come. Returns the buffer with the head if the decision goes on; otherwise the exchange was
    /// answered.
    func judge(_ exchange: Exchange) -> Chunk? {
        exchanges.clearClientDeadline(exchange)
        guard let buffer = exchanges.reread(exchange), let rules = exchange.route?.messages else {
            responder.frontend.abandon(exchange, reason: .clientClosed)
            return nil
        }
        let body = exchange.collected
        exchange.enter(.deciding)
        exchange.head.length += exchange.bodySeen
        exchange.head.framing = .length(body.count)
        exchange.requestBody = .empty
        let bytes = buffer.readable
        do throws(MCPMessage.Problem) {
            let message = try MCPMessage(body.span)
            exchange.response.message?.message = message
            if message.isContradicted(by: requestHeaders, bytes) {
                let problem = MCPMessage.Problem(
                    Reason.messageFieldsDiffer.detail, code: MCPMessage.Problem.fieldsDiffer, id: message.id)
                refuse(exchange, .messageFieldsDiffer, with: problem, bytes: bytes)
                return nil
            }
            let path = exchange.path
            for subject in message.subscriptions {
                guard let reason = rules.refusal(of: subject, by: exchange.principal, path: path.readable) else {
                    continue
                }
                refuse(exchange, reason, of: subject, id: message.id, bytes: bytes)
                return nil
            }
            guard let subject = message.subject else { return buffer }
            exchange.response.message?.rule = rules.rule(of: subject)?.name
            guard let reason = rules.refusal(of: subject, by: exchange.principal, path: path.readable) else {
                return buffer
            }
            refuse(exchange, reason, of: subject, id: message.id, bytes: bytes)
        } catch {
            refuse(exchange, .messageInvalid, with: error, bytes: bytes)
        }
        return nil
    }

    /// Whether the body is what it is judged as: a server may decode another type, coding or character set differently.
    private func isJSON(_ bytes: Span<UInt8>) -> Bool {
        guard requestHeaders.occurrences(.contentType) == 1, let value = requestHeaders.value(.contentType),
            !requestHeaders.hasContentCoding(bytes)
        else { return false }
        let parts = String(copying: bytes.slice(value)).lowercased().split(separator: ";", maxSplits: 1)
            .map { part in part.trimming { $0 == " " } }
        let charsets = ["charset=utf-8", "charset=\"utf-8\""]
        return parts.first?.isExactly("application/json") == true
            && parts.dropFirst().allSatisfy { part in charsets.contains { $0.isExactly(part) } }
    }

    // MARK: Refusals

    /// Refuses what a caller may not use.
    private func refuse(
        _ exchange: Exchange, _ reason: Reason, of subject: MCPMessage.Subject, id: JSONNode?, bytes: Span<UInt8>
    ) {
        // Another credential is needed, and clients of all kinds know how to ask for one.
        if reason.status == 401 { return responder.deny(exchange, reason, at: .message, bytes) }
        let path = exchange.path
        exchange.response.evidence = RefusalEvidence(exchange.snapshot.policy).evidence(
            for: reason, of: subject, on: exchange.route, exchange.principal, path: path.readable)
        let problem = MCPMessage.Problem(reason.detail, code: MCPMessage.Problem.refused, id: id)
        refuse(exchange, reason, with: problem, of: subject, bytes: bytes)
    }

    /// Answers with a JSON-RPC error, and where scopes are missing with the challenge for a token that has them.
    private func refuse(
        _ exchange: Exchange, _ reason: Reason, with problem: MCPMessage.Problem,
        of subject: MCPMessage.Subject? = nil, bytes: Span<UInt8>
    ) {
        (exchange.response.reason, exchange.response.step) = (reason, .message)
        exchange.response.evidence = exchange.response.evidence ?? Evidence([problem.detail])
        counters.count(reason)
        let body = problem.answer
        let chunk = responder.beginReply(exchange, status: reason.status, bodyLength: body.count)
        HeadWriter.appendStatusLine(reason.status, to: chunk)
        if reason == .scopeRequired, let subject, let route = exchange.route {
            let policy = exchange.snapshot.policy
            let held = exchange.principal.map { policy.claims.scopes.names(of: $0.claims.scopes) } ?? []
            chunk.append("WWW-Authenticate: ")
            policy.challenges.appendBearer(
                to: chunk, route: route, reason: reason, bytes: bytes, head: exchange.head, headers: requestHeaders,
                scopes: route.messages?.scopes(for: subject, on: route.entry.access, held: held))
            chunk.ensureFree(2048)
            chunk.append("\r\n")
        }
        chunk.append("Content-Type: application/json\r\nCache-Control: no-store\r\n")
        responder.endReply(exchange, chunk, body.span)
    }
}

extension HeaderTable {
    /// Whether a body is encoded.
    func hasContentCoding(_ bytes: Span<UInt8>) -> Bool {
        for i in 0..<count where self[i].token == .other {
            let field = self[i]
            if ManagedName.isAlias(bytes.slice(field.name), of: HeaderTable.contentEncoding.span),
                !bytesEqualIgnoringCase(bytes.slice(field.value), HeaderTable.identity.span)
            {
                return true
            }
        }
        return false
    }

    private static let contentEncoding = Array("content-encoding".utf8)
    private static let identity = Array("identity".utf8)
}
