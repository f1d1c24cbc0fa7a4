import Bytes
import Endpoints
import HTTP
import Identity
import Issuers
import Model
import OAuthServer
import Policy
import Reactor

/// The gateway's own responses, and the end of every exchange.
final class Responder: LoopPart {
    let frontend: ClientFrontend
    private let connections: UpstreamConnections
    /// `Date` of the current second, cached.
    private var dateSecond: Int64 = -1
    private let dateText = Chunk(capacity: 64)

    init(_ context: LoopContext, _ frontend: ClientFrontend, _ connections: UpstreamConnections) {
        self.frontend = frontend
        self.connections = connections
        super.init(context)
    }

    // MARK: Denials

    /// Refuses by policy: with a challenge for a missing or invalid credential, otherwise with the status alone.
    ///
    /// - Parameter step: that of the decision.
    func deny(_ exchange: Exchange, _ reason: Reason, at step: Decision.Step, _ bytes: Span<UInt8>) {
        exchange.response.reason = reason
        note(exchange, reason, step, bytes)
        counters.count(reason)
        if let type = requestHeaders.value(.contentType), Responder.isCall(bytes.slice(type), exchange) {
            return refuseCall(exchange, status: reason.status, reason.detail)
        }
        let route = exchange.route
        let accept = requestHeaders.value(.accept)
        let asPage = accept.map { AcceptField.prefersHTML($0, bytes) } ?? false
        var login: [UInt8]?
        var visited: VisitedHost?
        if let route, route.takesCookies, reason.status == 401 || asPage && reason.status == 403 {
            visited = exchange.snapshot.visitedHost(of: exchange, requestHeaders, bytes)
            login = exchange.snapshot.policy.loginLocation(
                route, for: reason, of: exchange.principal, at: visited, bytes: bytes, head: exchange.head,
                headers: requestHeaders, now: poller.wallSeconds)
        }
        if reason.status == 401, let login { return send(exchange, toLogin: login, from: visited, bytes) }
        let own = ownAnswer(exchange, reason, asPage: asPage)
        let body = reason.body
        let chunk = beginReply(exchange, status: own?.status ?? reason.status, bodyLength: body.count)
        if reason.status == 401 {
            appendChallenge(exchange, route, reason, bytes, to: chunk)
        } else {
            HeadWriter.appendStatusLine(exchange.response.status, to: chunk)
        }
        if reason == .insufficientScope || reason == .scopeRequired {
            chunk.append("WWW-Authenticate: ")
            exchange.snapshot.policy.challenges.appendBearer(
                to: chunk, route: route, reason: reason, bytes: bytes, head: exchange.head, headers: requestHeaders)
            chunk.ensureFree(2048)
            chunk.append("\r\n")
        }
        if reason == .methodNotAllowed, let route {
            let allowed = route.allowedMethodsText
            HeadWriter.appendField("Allow", allowed.span, to: chunk)
        }
        if let seconds = reason.retryAfterSeconds {
            HeadWriter.appendField("Retry-After", decimal: seconds, to: chunk)
            if reason == .loginThrottled { limited(.loginAttempts) }
        }
        if let own {
            end(exchange, chunk, own, detail: reason.detail)
        } else {
            let account = exchange.forwardAuth == nil ? login : nil
            endError(
                exchange, chunk, body.span, asPage: asPage,
                account: account.map {
                    ShownError.Account(
                        name: exchange.principal?.subject ?? "", other: String(decoding: $0, as: UTF8.self))
                })
        }
    }

    /// Keeps what was compared, for the operator.
    private func note(_ exchange: Exchange, _ reason: Reason, _ step: Decision.Step, _ bytes: Span<UInt8>) {
        exchange.response.step = step
        if let note = exchange.response.policy?.answer?.note, !note.isEmpty {
            exchange.response.evidence = Evidence([note])
            return
        }
        let path = exchange.path
        exchange.response.evidence = RefusalEvidence(exchange.snapshot.policy).evidence(
            for: reason, on: exchange.route, exchange.principal, path: path.readable, bytes: bytes,
            head: exchange.head, headers: requestHeaders, from: exchange.address, now: poller.wallSeconds)
    }

    /// The status line and challenge of a 401: a Webgate's has the reason phrase that its clients expect
    /// (CHAL-01).
    private func appendChallenge(
        _ exchange: Exchange, _ route: Route?, _ reason: Reason, _ bytes: Span<UInt8>, to chunk: Chunk
    ) {
        if reason == .dpopNonceRequired {
            exchange.response.nonce = exchange.snapshot.policy.challenges.nonce(now: poller.wallSeconds)
        }
        let status = exchange.response.status
        guard route != nil || reason.token.isOfProof else {
            HeadWriter.appendStatusLine(status, to: chunk)
            chunk.append("WWW-Authenticate: Bearer realm=\"portcullis\"\r\n")
            return
        }
        if route?.webgate == nil || status != 401 {
            HeadWriter.appendStatusLine(status, to: chunk)
        } else {
            HeadWriter.appendStatusLine(401, phrase: "Authorization Required", to: chunk)
        }
        chunk.append("WWW-Authenticate: ")
        let id = exchange.requestID
        exchange.snapshot.policy.challenges.append(
            to: chunk, route: route, reason: reason, bytes: bytes, head: exchange.head, headers: requestHeaders,
            requestID: id.readable, now: poller.wallSeconds)
        chunk.ensureFree(2048)
        chunk.append("\r\n")
    }

    /// Answers an allowed preflight (CORS-06).
    func answerPreflight(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        exchange.response.reason = .preflight
        let chunk = beginReply(exchange, status: 204, bodyLength: 1024)
        HeadWriter.appendStatusLine(204, to: chunk)
        if let route = exchange.route {
            route.appendPreflightFields(to: chunk, bytes: bytes, headers: requestHeaders)
        } else if let endpoint = exchange.endpoint {
            exchange.snapshot.policy.appendPreflightFields(
                to: chunk, endpoint: endpoint.descriptor, bytes: bytes, headers: requestHeaders)
        }
        chunk.ensureFree(2048)
        exchange.origin.reset()
        exchange.varies.remove(.origin)
        endReply(exchange, chunk, nil)
    }

    // MARK: Other refusals

    /// The input is not HTTP, or exceeds a limit.
    func refuse(_ exchange: Exchange, _ error: HTTPParseError) {
        if error.status == 431 || error.status == 414 { limited(.headerSize) }
        reply(exchange, error.reason, StatusReason.text(error.status))
    }

    /// A head was not completed in time.
    func refuseSlowHead(_ exchange: Exchange) {
        limited(.headerTime)
        reply(exchange, .headerTimeout, "the request head did not come in time")
    }

    func refuseLargeBody(_ exchange: Exchange) {
        limited(.bodySize)
        refuseBody(exchange, .bodyTooLarge, "the request body is too large")
    }

    /// Stops reading the request body, which ends an HTTP/1 connection.
    func refuseBody(_ exchange: Exchange, _ reason: Reason, _ detail: StaticString) {
        connections.drop(exchange)
        if exchange.response.hasBegun {
            frontend.abandon(exchange, reason: reason)
        } else {
            exchange.endConnection()
            reply(exchange, reason, detail)
        }
    }

    /// Too much blocking work is queued.
    func refuseOverload(_ exchange: Exchange) {
        limited(.blockingWork)
        reply(exchange, .overloaded, "try again later", retryAfter: 1)
    }

    /// The upstream's token is unavailable: not the caller's fault unless the issuer says so.
    /// - Parameter buffer: that of the request and of its fields; nil where it was forwarded.
    func refuseWithoutToken(_ exchange: Exchange, _ failure: IssueFailure, buffer: Chunk? = nil) {
        exchange.response.evidence = failure.detail.map { Evidence([$0]) }
        if failure.reason.status == 401 {
            // The browser logs in again.
            if let buffer { return deny(exchange, failure.reason, at: .credential, buffer.readable) }
            return reply(exchange, .upstreamAuthFailed, "the login has ended at its provider")
        }
        reply(exchange, failure.reason, "no token for the upstream", retryAfter: failure.retryAfterSeconds)
    }

    // MARK: Replies

    /// Space for the fixed-length fields of a head: `Date`, framing, `Connection`.
    static let smallFields = 256

    /// An error response of the gateway.
    func reply(_ exchange: Exchange, _ reason: Reason, _ detail: StaticString, retryAfter: Int? = nil) {
        exchange.response.reason = reason
        counters.count(reason)
        var isCall = false
        readFields(exchange, Responder.contentType) { range, bytes in
            isCall = Responder.isCall(bytes.slice(range), exchange)
            return .done
        }
        if isCall { return refuseCall(exchange, status: reason.status, "\(detail)") }
        if hasOwnAnswers(exchange) {
            let asPage = prefersPage(exchange)
            if let own = ownAnswer(exchange, reason, asPage: asPage) {
                let chunk = beginError(exchange, own.status, retryAfter)
                end(exchange, chunk, own, detail: "\(detail)")
                return
            }
        }
        let status = reason.status
        var body = JSONWriter()
        body.beginObject()
        body.member("status", status)
        body.member("title", "\(StatusReason.text(status))")
        body.member("detail", "\(detail)")
        body.member("code", word: reason.bytes)
        body.endObject()
        let chunk = beginError(exchange, status, retryAfter)
        endError(exchange, chunk, body.bytes.span, asPage: prefersPage(exchange))
    }

    private func beginError(_ exchange: Exchange, _ status: Int, _ retryAfter: Int?) -> Chunk {
        let chunk = beginReply(exchange, status: status, bodyLength: 0)
        HeadWriter.appendStatusLine(status, to: chunk)
        if let retryAfter { HeadWriter.appendField("Retry-After", decimal: retryAfter, to: chunk) }
        return chunk
    }

    /// The response of a gateway endpoint.
    func respond(_ exchange: Exchange, _ response: EndpointResponse) {
        exchange.response.reason = response.reason
        exchange.response.evidence = response.evidence
        if response.status >= 400 { counters.count(exchange.response.reason) }
        if response.status == 429 { limited(.loginAttempts) }
        if let entry = response.audit { audit(entry, exchange) }
        let chunk = beginReply(exchange, status: response.status, bodyLength: response.body.count + 2048)
        HeadWriter.appendStatusLine(response.status, to: chunk)
        for header in response.headers {
            _ = HeadWriter.appendUntrusted(Array(header.name.utf8).span, Array(header.value.utf8).span, to: chunk)
        }
        endReply(exchange, chunk, response.body.span)
    }

    /// Writes the audit log line. The exchange supplies reason, id and address.
    private func audit(_ entry: AuditEntry, _ exchange: Exchange) {
        var members: [(String, EventLog.Value)] = [
            ("action", .text(entry.action)), ("outcome", .text(entry.outcome.rawValue)),
            ("reason", .text(exchange.response.reason.code)),
            ("subject", .text(String(decoding: entry.subject.utf8.prefix(256), as: UTF8.self))),
            ("client_id", .text(entry.client)),
            ("request_id", .text(exchange.requestIDText)),
        ]
        if let address = exchange.address { members.append(("client_ip", .text(address.description))) }
        if !entry.tokenID.isEmpty { members.append(("token_id", .text(entry.tokenID))) }
        if !entry.replaces.isEmpty { members.append(("replaces", .text(entry.replaces))) }
        if let detail = exchange.response.evidence?.text, !detail.isEmpty { members.append(("detail", .text(detail))) }
        shared.log.write(.audit, members)
    }

    /// A chunk for the response, after deciding whether the connection is kept.
    func beginReply(_ exchange: Exchange, status: Int, bodyLength: Int) -> Chunk {
        exchange.response.status = status
        exchange.enter(.finished)
        prepareToSkipRequest(exchange)
        let chunk = poller.chunks.take()
        chunk.ensureFree(4096 + bodyLength)
        return chunk
    }

    /// Completes and sends head and body.
    ///
    /// - Parameter fields: in place of those of the route.
    func endReply(_ exchange: Exchange, _ chunk: Chunk, _ body: Span<UInt8>?, fields: RouteFields? = nil) {
        guard let side = exchange.clientSide else {
            poller.chunks.give(chunk)
            frontend.finish(exchange)
            return
        }
        chunk.ensureFree(Responder.smallFields)
        appendDate(to: chunk)
        appendCrossSite(exchange, status: exchange.response.status, to: chunk)
        // Fields of an allowed forward-auth request are for the upstream, these for the client.
        if let own = fields ?? exchange.route?.responseFields, exchange.response.reason != .forwardAuthAllowed {
            HeaderRewrite.append(own, exchange, isAnswer: !exchange.response.reason.isOfRoute, to: chunk)
        }
        HeaderRewrite.appendRequestID(exchange, to: chunk)
        // RFC 9110 section 8.6: no length on a 204.
        if let body, exchange.response.status != 204 {
            HeadWriter.appendField("Content-Length", decimal: body.count, to: chunk)
        }
        chunk.ensureFree(Responder.smallFields)
        appendConnection(exchange, to: chunk)
        chunk.append("\r\n")
        exchange.response.hasBegun = true
        counters.remember(exchange, poller)
        if let buffer = exchange.headBuffer { buffer.consume(min(buffer.count, exchange.head.length)) }
        if let body, !(exchange.forwardAuth?.wantsNoBody ?? (exchange.head.method == .head)) {
            exchange.response.bytes = body.count
            transport.sendWhole(chunk, body, of: exchange, to: side)
        } else {
            transport.sendWhole(chunk, nil, of: exchange, to: side)
        }
        frontend.finish(exchange)
    }

    /// Decides whether an unused request body is discarded or the connection ends.
    func prepareToSkipRequest(_ exchange: Exchange) {
        let body = exchange.requestBody
        if body.isComplete { return }
        // A client that waits for 100 Continue may or may not send the body now, so its next request could not be
        // found.
        if exchange.head.expectsContinue { exchange.endConnection() }
        if let remaining = body.remainingLength, remaining > ClientFrontend.skipAllowance { exchange.endConnection() }
    }

    /// Appends a `Date` field line (RFC 9110 section 6.6.1).
    func appendDate(to chunk: Chunk) {
        if dateSecond != poller.wallSeconds {
            dateSecond = poller.wallSeconds
            dateText.reset()
            dateText.append("Date: ")
            HTTPDate.append(dateSecond, to: dateText)
            dateText.append("\r\n")
        }
        let text = dateText
        chunk.append(text.readable)
    }

    /// The CORS fields of a response (CORS-07, CHAL-09), `Vary`, and a nonce for the client.
    func appendCrossSite(_ exchange: Exchange, status: Int, to chunk: Chunk) {
        if let nonce = exchange.response.nonce {
            chunk.ensureFree(Responder.smallFields)
            HeadWriter.appendField("DPoP-Nonce", Array(nonce.utf8).span, to: chunk)
        }
        if exchange.varies.contains(.cookie) {
            chunk.ensureFree(Responder.smallFields)
            chunk.append("Vary: Cookie\r\n")
        }
        guard exchange.varies.contains(.origin) else { return }
        let origin = exchange.origin
        CORSPolicy.appendFields(
            to: chunk, origin: origin.readable, status: status, by: exchange.snapshot.policy.cors(of: exchange.route))
    }

    /// `Connection`, if it differs from the default of the client's version.
    func appendConnection(_ exchange: Exchange, to chunk: Chunk) {
        // HTTP/2 uses frames instead.
        if exchange.stream != nil { return }
        if exchange.client?.closing == true {
            chunk.append("Connection: close\r\n")
        } else if exchange.head.minorVersion == 0 {
            chunk.append("Connection: keep-alive\r\n")
        }
    }

    /// Whether the head is safe to convert to text and compare; otherwise the exchange is answered.
    func isStreamSafe(_ exchange: Exchange, _ bytes: Span<UInt8>, length: Int) -> Bool {
        // A stream's head is in its own buffer.
        if StreamSafeText.holds(exchange.stream == nil ? bytes.extracting(first: length) : bytes) { return true }
        reply(exchange, .invalidRequest, "too many combining marks in a row")
        return false
    }
}
