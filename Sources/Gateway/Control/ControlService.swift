import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import Issuers
import Model
import OAuthServer
import Outbound
import Policy
import Reactor

/// The admin listener: health, readiness, metrics, revocation. Never on a public listener (POL-05). Monitoring
/// listeners serve only the first three.
final class ControlService: LoopPart {
    private let exchanges: ExchangeTable
    private let frontend: ClientFrontend
    private let responder: Responder
    private let endpoints: EndpointService
    private let report: WorkerReport

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend, _ responder: Responder,
        _ endpoints: EndpointService, _ report: WorkerReport
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.responder = responder
        self.endpoints = endpoints
        self.report = report
        super.init(context)
    }

    /// Answers a request of a control listener. Returns the resource if the body must be read first.
    func answer(_ exchange: Exchange, _ client: ClientConnection, _ bytes: Span<UInt8>) -> AdminResource? {
        let head = exchange.head
        guard responder.isStreamSafe(exchange, bytes, length: head.length) else { return nil }
        exchange.path.ensureFree(Int(head.path.count))
        exchange.path.append(bytes.slice(head.path))
        let name = String(copying: bytes.slice(head.path))
        guard AdminHost.isTrusted(bytes.slice(head.authority), names: exchange.snapshot.adminHosts) else {
            responder.reply(exchange, .unknownHost, "the admin listener does not have this name")
            return nil
        }
        guard let resource = AdminResource(path: name), client.role == .admin || resource.isMonitoring else {
            responder.reply(exchange, .noRoute, "no such resource")
            return nil
        }
        guard resource.allows(head.method) else {
            responder.respond(
                exchange, .text(405, "use \(resource.method)\n", reason: .methodNotAllowed, allow: resource.method))
            return nil
        }
        if resource.needsToken, let refusal = refusal(exchange, bytes) {
            responder.respond(exchange, refusal)
            return nil
        }
        if !resource.isHealth, frontend.controlClients.isCrowded(client.listener) {
            responder.reply(
                exchange, .overloaded, "all connections of the listener are in use",
                retryAfter: 1)
            return nil
        }
        switch resource {
        case .health: responder.respond(exchange, .text(200, "ok\n", reason: .health))
        case .readiness: describeReadiness(exchange, bytes)
        case .metrics: collectMetrics(exchange)
        case .reload:
            exchanges.park(exchange, in: .inEndpoint)
            let identity = exchange.identity
            let mailbox = context.mailbox
            shared.requestReload { outcome in
                mailbox.post(.endpoint(exchange: identity, .done(outcome)))
            }
        case .revocations, .administration, .userList:
            let asked = name == "/admin/users" && isList(bytes) ? .userList : resource
            exchange.adminResource = asked
            // Hashing a thousand passwords takes time.
            exchange.decisionDeadline = poller.now + ControlService.administrationTimeout
            return asked
        }
        return nil
    }

    /// In milliseconds.
    private static let administrationTimeout: Int64 = 600_000

    /// Describes whether requests should be sent here, and problems that do not prevent that.
    ///
    /// With the parameter `store`, a store that does not serve counts as well.
    private func describeReadiness(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        var includesStore = false
        if let query = exchange.head.query {
            let parameters = String(copying: bytes.slice(query)).split(separator: "&")
            includesStore = parameters.contains { $0 == "store" || $0.hasPrefix("store=") }
        }
        let (status, text) = context.readiness.response(includingStore: includesStore)
        responder.respond(exchange, .text(status, text, reason: .readiness))
    }

    /// Nil if the request has the admin token. Health, readiness and metrics need none, since the admin listener is
    /// bound to loopback by default; all changes need it. Wrong tokens are throttled like wrong client secrets.
    private func refusal(_ exchange: Exchange, _ bytes: Span<UInt8>) -> EndpointResponse? {
        guard let expected = exchange.snapshot.adminToken, let token = bearerToken(bytes) else { return .noAdminToken }
        let origin = ClientOrigin(exchange.address, now: poller.wallSeconds)
        guard let attempt = shared.settings.adminThrottle.admit("admin", secret: token, from: origin) else {
            return .tooManyAdminTokens
        }
        guard constantTimeEqual(token.span, expected.span) else {
            attempt.failed()
            return .noAdminToken
        }
        attempt.succeeded()
        return nil
    }

    /// The token of a single `Authorization` field; nil if absent or repeated.
    private func bearerToken(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard requestHeaders.occurrences(.authorization) == 1, let range = requestHeaders.value(.authorization) else {
            return nil
        }
        let value = bytes.slice(range)
        guard value.count > 7, bytesEqualIgnoringCase(value.extracting(first: 7), Array("bearer ".utf8).span) else {
            return nil
        }
        return Array(copying: value.extracting(7...))
    }

    /// Whether the content type is CSV.
    private func isList(_ bytes: Span<UInt8>) -> Bool {
        guard let type = requestHeaders.value(.contentType) else { return false }
        return String(copying: bytes.slice(type)).lowercased().hasPrefix("text/csv")
    }

    /// Handles an admin request with a complete body.
    func call(_ exchange: Exchange, _ resource: AdminResource) {
        if case .revocations = resource {
            endpoints.answer(shared.revoke(exchange.collected, now: poller.wallSeconds), exchange)
            return
        }
        guard let buffer = exchanges.reread(exchange) else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        guard let request = adminRequest(exchange, buffer.readable) else {
            responder.reply(exchange, .invalidRequest, "the path or the query is malformed")
            return
        }
        exchanges.park(exchange, in: .inEndpoint)
        let (identity, mailbox) = (exchange.identity, context.mailbox)
        shared.administer(request) { mailbox.post(.endpoint(exchange: identity, .done($0))) }
    }

    private func adminRequest(_ exchange: Exchange, _ bytes: Span<UInt8>) -> AdminRequest? {
        let path = bytes.slice(exchange.head.path)
        var query = bytes.extracting(0..<0)
        if let range = exchange.head.query { query = bytes.slice(range) }
        guard let target = AdminRequest.decode(path: path.extracting(AdminResource.prefix.utf8.count...), query: query)
        else { return nil }
        var request = AdminRequest(
            method: exchange.head.method, path: target.path, parameters: target.parameters,
            body: exchange.collected)
        if let range = requestHeaders.value(.contentType) { request.contentType = String(copying: bytes.slice(range)) }
        let condition = Array("if-match".utf8)
        for i in 0..<requestHeaders.count
        where bytesEqualIgnoringCase(bytes.slice(requestHeaders[i].name), condition.span) {
            // Repeated fields form one list (RFC 9110 section 5.3).
            let value = String(copying: bytes.slice(requestHeaders[i].value))
            request.condition = request.condition.map { $0 + ", " + value } ?? value
        }
        request.origin = ChangeOrigin(address: exchange.address?.description ?? "", requestID: exchange.requestIDText)
        return request
    }

    /// Requests the counters of every worker; the answer is written when all have arrived.
    private func collectMetrics(_ exchange: Exchange) {
        exchanges.park(exchange, in: .inEndpoint)
        var counted = report.current
        var missing = 0
        for index in shared.mailboxes.indices where index != context.number {
            if let last = shared.askForMetrics(index, by: context.number, exchange: exchange.identity) {
                counted.add(last)
            } else {
                missing += 1
            }
        }
        exchange.collection = MetricsCollection(counted, missing: missing)
        if missing == 0 { respondWithMetrics(exchange) }
    }

    func collected(_ report: WorkerMetrics, for exchange: Exchange) {
        guard let collection = exchange.collection else { return }
        collection.report.add(report)
        collection.missing -= 1
        if collection.missing == 0 { respondWithMetrics(exchange) }
    }

    private func respondWithMetrics(_ exchange: Exchange) {
        guard let report = exchange.collection.take()?.report else { return }
        var facts = shared.facts(now: poller.wallSeconds)
        facts.issuerKeys = snapshot.issuerKeys.map { ($0.name, $0.keys.report) }
        facts.certificates = snapshot.certificates
        facts.issuers = snapshot.issuers.map(\.report)
        facts.introspection = snapshot.policy.introspectors.map { ($0.server.name, $0.report) }
        facts.policyServers = snapshot.policy.routes.policyServers.map(\.report)
        facts.tracing = snapshot.tracer?.report ?? Tracer.Report()
        facts.assertionReloadFailures = shared.settings.assertionReloadFailures.map { ($0.source, $0.failures.count) }
        facts.providerRevocations = shared.settings.providerRevocations.counts
        let text = PrometheusText.render(report, facts)
        responder.respond(
            exchange,
            EndpointResponse(
                status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: text,
                reason: .metrics))
    }
}

extension EndpointResponse {
    fileprivate static let noAdminToken = EndpointResponse(
        status: 401, headers: [("WWW-Authenticate", "Bearer realm=\"portcullis-admin\"")], body: [],
        reason: .missingCredential)

    fileprivate static let tooManyAdminTokens = EndpointResponse.problem(
        .clientThrottled, "too many wrong tokens", headers: [("Retry-After", "30")])

    /// A short plain text.
    fileprivate static func text(
        _ status: Int, _ text: String, reason: Reason, allow: String? = nil
    ) -> EndpointResponse {
        var headers: [(name: String, value: String)] = [
            ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
        ]
        if let allow { headers.append(("Allow", allow)) }
        return EndpointResponse(status: status, headers: headers, body: Array(text.utf8), reason: reason)
    }
}
