import Bytes
import Crypto
import HTTP
import Identity
import Reactor
import Tokens

/// The admin listener: health, readiness, metrics, revocation. Never on a public listener (POL-05).
extension Worker {
    /// Connections that the admin listener takes; they do not count for the limit of the others, which an operator may
    /// want to look at just because it is reached.
    static let maximumAdminClients = 64

    func answerAdmin(_ exchange: Exchange, _ bytes: Span<UInt8>) {
        let head = exchange.head
        var path: [UInt8] = []
        path.append(copying: bytes.slice(head.path))
        exchange.path.ensureFree(path.count)
        exchange.path.append(path)
        let name = String(decoding: path, as: UTF8.self)
        guard AdminHost.isTrusted(bytes.slice(head.authority), names: exchange.snapshot.adminHosts) else {
            reply(exchange, status: 421, reason: "unknown_host", detail: "the admin listener does not have this name")
            return
        }
        guard let resource = AdminResource(path: name) else {
            reply(exchange, status: 404, reason: "no_route", detail: "no such resource")
            return
        }
        guard resource.allows(head.method) else {
            respond(
                exchange, .text(405, "use \(resource.method)\n", reason: "method_not_allowed", allow: resource.method))
            return
        }
        if resource.needsToken, !isAdmin(exchange, bytes) {
            respond(
                exchange,
                EndpointResponse(
                    status: 401, headers: [("WWW-Authenticate", "Bearer realm=\"portcullis-admin\"")], body: [],
                    reason: "missing_credential"))
            return
        }
        switch resource {
        case .health: respond(exchange, .text(200, "ok\n", reason: "health"))
        case .readiness: describeReadiness(exchange)
        case .metrics: collectMetrics(exchange)
        case .reload:
            park(exchange, in: .inEndpoint)
            let identity = exchange.identity
            let mailbox = mailbox
            shared.requestReload { outcome in
                mailbox.post(.endpoint(exchange: identity, .done(outcome)))
            }
        case .revocations:
            exchange.adminResource = resource
            takeBody(exchange)
        case .cleaning: cleanTokens(exchange)
        case .backend(let name, let version):
            describeBackend(exchange, name: name, version: version)
        }
    }

    /// Deletes expired tokens now, and says how many there were (AOM-23).
    private func cleanTokens(_ exchange: Exchange) {
        guard let cleaner = shared.settings.cleaner else {
            reply(exchange, status: 503, reason: "store_unavailable", detail: "there is no store of tokens")
            return
        }
        park(exchange, in: .inEndpoint)
        let (identity, mailbox) = (exchange.identity, mailbox)
        cleaner.run(now: poller.wallSeconds) { result in
            mailbox.post(.endpoint(exchange: identity, .done(.cleaned(result))))
        }
    }

    /// Sees whether it is time for the daily deletion (AOM-23). Local time is asked for each time: its zone may change.
    func cleanTokensDaily() {
        let now = poller.wallSeconds
        shared.settings.cleaner?.tick(now: now, secondsEast: LocalTime.secondsEast(at: now))
    }

    /// Whether requests do well to come here, and what is amiss where they may come all the same.
    private func describeReadiness(_ exchange: Exchange) {
        let readiness = Readiness(
            snapshot.issuerKeys, store: shared.tokens.report(now: poller.now), isDraining: isDraining)
        respond(exchange, .text(readiness.isReady ? 200 : 503, readiness.text, reason: "readiness"))
    }

    /// The settings of a backend without its secret (MBE-04).
    private func describeBackend(_ exchange: Exchange, name: String, version: String) {
        guard let backend = exchange.snapshot.backends.backend(name: name, version: version) else {
            reply(exchange, status: 404, reason: "no_route", detail: "no such backend")
            return
        }
        let settings = exchange.snapshot.tokens.describe(backend, includingSecrets: false)
        let headers = [(name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store")]
        respond(exchange, EndpointResponse(status: 200, headers: headers, body: settings, reason: "backend"))
    }

    /// Health, readiness and metrics are open on the admin listener, which is on loopback by default; whatever changes
    /// something needs the token.
    private func isAdmin(_ exchange: Exchange, _ bytes: Span<UInt8>) -> Bool {
        guard let expected = exchange.snapshot.adminToken, requestHeaders.occurrences(.authorization) == 1,
            let range = requestHeaders.value(.authorization)
        else { return false }
        let value = bytes.slice(range)
        guard value.count > 7, bytesEqualIgnoringCase(value.extracting(first: 7), Array("bearer ".utf8).span) else {
            return false
        }
        return constantTimeEqual(value.extracting(7...), expected.span)
    }

    /// The body of an admin request is whole.
    func callAdmin(_ exchange: Exchange, _ resource: AdminResource) {
        guard case .revocations = resource else { return }
        answer(shared.revoke(exchange.collected, now: poller.wallSeconds), exchange)
    }

    /// Asks every worker for its counters; the answer is written when the last has come.
    private func collectMetrics(_ exchange: Exchange) {
        park(exchange, in: .inEndpoint)
        var report = currentMetrics()
        var missing = 0
        for index in shared.mailboxes.indices where index != number {
            if let last = shared.askForMetrics(index, by: number, exchange: exchange.identity) {
                report.add(last)
            } else {
                missing += 1
            }
        }
        exchange.reports = report
        exchange.reportsMissing = missing
        if missing == 0 { respondWithMetrics(exchange) }
    }

    func collected(_ report: WorkerMetrics, for exchange: Exchange) {
        exchange.reports?.add(report)
        exchange.reportsMissing -= 1
        if exchange.reportsMissing == 0 { respondWithMetrics(exchange) }
    }

    private func respondWithMetrics(_ exchange: Exchange) {
        guard let report = exchange.reports else { return }
        exchange.reports = nil
        var facts = shared.facts(now: poller.wallSeconds)
        facts.issuerKeys = snapshot.issuerKeys.map { ($0.name, $0.keys.report) }
        facts.assertionReloadFailures = shared.settings.assertionReloadFailures.map { ($0.source, $0.failures.count) }
        let text = PrometheusText.render(report, facts)
        respond(
            exchange,
            EndpointResponse(
                status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: text,
                reason: "metrics"))
    }
}

/// What the admin listener has.
enum AdminResource: Equatable {
    case health, readiness, metrics, reload, revocations, cleaning
    case backend(name: String, version: String)

    init?(path: String) {
        switch path {
        case "/healthz", "/admin/health": self = .health
        case "/readyz", "/admin/ready": self = .readiness
        case "/metrics", "/admin/metrics": self = .metrics
        case "/admin/reload": self = .reload
        case "/admin/revocations": self = .revocations
        case "/admin/tokens/clean": self = .cleaning
        default:
            let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 5, parts[1] == "admin", parts[2] == "backends", !parts[3].isEmpty, !parts[4].isEmpty
            else { return nil }
            self = .backend(name: parts[3], version: parts[4])
        }
    }

    var method: String {
        switch self {
        case .reload, .revocations, .cleaning: "POST"
        default: "GET"
        }
    }

    func allows(_ wanted: Method) -> Bool {
        method == "POST" ? wanted == .post : wanted == .get || wanted == .head
    }

    var needsToken: Bool {
        switch self {
        case .health, .readiness, .metrics: false
        case .reload, .revocations, .cleaning, .backend: true
        }
    }
}

extension EndpointResponse {
    /// `{"deleted": COUNT}`.
    fileprivate static func cleaned(_ result: Result<Int, StoreFailure>) -> EndpointResponse {
        guard case .success(let count) = result else {
            return .problem(
                status: 503, title: "Service Unavailable", detail: "the store of tokens does not answer",
                code: "store_unavailable", reason: "store_unavailable")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("deleted", count)
        writer.endObject()
        var response = EndpointResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: writer.bytes, reason: "tokens_cleaned")
        response.audit = AuditEntry(action: "tokens.clean", outcome: .changed)
        return response
    }

    /// A short plain text.
    fileprivate static func text(
        _ status: Int, _ text: String, reason: StaticString, allow: String? = nil
    ) -> EndpointResponse {
        var headers: [(name: String, value: String)] = [
            ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
        ]
        if let allow { headers.append(("Allow", allow)) }
        return EndpointResponse(status: status, headers: headers, body: Array(text.utf8), reason: reason)
    }
}
