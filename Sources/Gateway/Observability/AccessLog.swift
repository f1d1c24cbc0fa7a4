import Bytes
import Crypto
import HTTP
import Identity
import Model
import Policy
import Reactor

/// The access log of one worker: a JSON line per exchange, buffered and written when the buffer is large or old enough.
/// Contains caller, request and reason; never a token, a password or a query (GW-11).
final class AccessLog {
    private static let blockSize = 64 * 1024
    /// How long a line may be buffered, in milliseconds.
    static let patience: Int64 = 50
    /// Bytes of `User-Agent` that are logged.
    static let longestUserAgent = 256
    private let writer: LogWriter
    /// Whether a timer for writing the buffer is set.
    private var isAwaited = false
    private var block = JSONWriter()
    private(set) var dropped: UInt64 = 0
    private var lines: UInt64 = 0
    private let addressText = Chunk(capacity: 48)
    private var sampler: LogSampler
    /// Milliseconds from the monotonic clock to the time since 1970, and until when that is not looked at again.
    private var wallOffset: Int64 = 0
    private var wallOffsetEnds: Int64 = .min

    init(writer: LogWriter, sampler: LogSampler = LogSampler(seed: .random(in: 0 ... .max))) {
        self.writer = writer
        self.sampler = sampler
        block.reserve(AccessLog.blockSize + 4096)
    }

    /// Appends the line of a finished exchange to the buffer. Times in microseconds of the monotonic clock.
    func log(_ exchange: Exchange, finishedAt: Int64, _ poller: Poller) {
        if exchange.route?.entry.options.isLogged == false || !exchange.snapshot.logs(exchange.client) { return }
        if let sample = exchange.snapshot.accessSample, !sampler.takes(exchange.response, sample) { return }
        append(exchange, finishedAt: finishedAt)
        guard !isAwaited else { return }
        isAwaited = true
        poller.schedule(TimerToken(role: LoopRole.accessLog, owner: 0), at: poller.now + AccessLog.patience)
    }

    /// The buffering time is over.
    func timerFired() {
        isAwaited = false
        flush()
    }

    func append(_ exchange: Exchange, finishedAt: Int64) {
        if finishedAt >= wallOffsetEnds {
            wallOffset = Clock.wallMilliseconds - Clock.monotonicMilliseconds
            wallOffsetEnds = finishedAt + 1_000_000
        }
        block.beginObject()
        block.member("time", seconds: finishedAt / 1000 + wallOffset)
        let (id, path) = (exchange.requestID, exchange.path)
        block.member("request_id", text: id.readable)
        if let address = exchange.address {
            let text = addressText
            text.reset()
            address.append(to: text)
            block.member("client_ip", text: text.readable)
        }
        if let name = exchange.head.method.name {
            block.member("method", "\(name)")
        } else {
            block.member("method", "extension")
        }
        block.member("path", text: path.readable)
        let fields = exchange.snapshot.accessFields
        if !fields.isEmpty { append(fields, exchange) }
        block.member("status", exchange.response.status)
        if let route = exchange.route?.entry.name { block.member("route", route) }
        if exchange.forwardAuth != nil { block.member("endpoint", ForwardAuthQuestion.endpointName) }
        if let principal = exchange.principal { append(principal) }
        block.member("decision", AccessLog.decision(exchange))
        block.member("reason", word: exchange.response.reason.bytes)
        if let detail = exchange.response.evidence?.text, !detail.isEmpty { block.member("detail", detail) }
        if let denial = exchange.response.trialDenial { block.member("trial", word: denial.bytes) }
        if let answer = exchange.response.policy?.answer { append(answer) }
        if let message = exchange.response.message?.message { append(message) }
        if let upstream = exchange.group?.settings.name { block.member("upstream", upstream) }
        block.member("bytes_in", exchange.requestBody.passed)
        block.member("bytes_out", exchange.response.bytes)
        block.member("duration_us", finishedAt - exchange.times.startedAt)
        if exchange.times.answeredAt > 0, exchange.group != nil {
            block.member("upstream_us", exchange.times.answeredAt - exchange.times.forwardedAt)
        }
        block.endObject()
        block.endLine()
        lines += 1
        if block.bytes.count >= AccessLog.blockSize { flush() }
    }

    private func append(_ principal: Principal) {
        block.member("subject", principal.subject)
        if let consumer = principal.consumerName { block.member("consumer", consumer) }
        if let client = principal.clientID { block.member("client_id", client) }
        if let backend = principal.backendID, !principal.backendField.isEmpty { block.member("backend", backend) }
        block.member("issuer", principal.issuer)
    }

    private func append(_ message: MCPMessage) {
        block.member("mcp_method", text: message.method.utf8.span.extracting(first: AccessLog.longestUserAgent))
        guard let subject = message.subject else { return }
        let name = subject.name.utf8.span.extracting(first: AccessLog.longestUserAgent)
        switch subject.kind {
        case .tool: block.member("tool", text: name)
        case .resource: block.member("resource", text: name)
        case .prompt: block.member("prompt", text: name)
        }
    }

    private func append(_ answer: PolicyAnswer) {
        block.member("policy", answer.outcome.rawValue)
        block.member("policy_server", answer.server)
        if answer.isCached { block.member("policy_cached", true) }
        if !answer.note.isEmpty { block.member("policy_reason", answer.note) }
    }

    private func append(_ fields: AccessLogFields, _ exchange: Exchange) {
        let host = exchange.host
        if fields.contains(.host), !host.isEmpty { block.member("host", text: host.readable) }
        if fields.contains(.httpVersion) {
            let older = exchange.head.minorVersion == 0 ? "1.0" : "1.1"
            block.member("http_version", exchange.stream == nil ? older : "2")
        }
        if fields.contains(.tlsVersion), let version = exchange.client?.socket?.tls?.version {
            block.member("tls_version", version == .tls13 ? "1.3" : "1.2")
        }
        if fields.contains(.userAgent), let agent = exchange.userAgent {
            block.member("user_agent", text: agent.readable)
        }
        if fields.contains(.replay) { appendRest(fields, exchange) }
    }

    /// What `portcullis replay` needs beside the other members. Of claims, which may be personal, there are digests.
    private func appendRest(_ fields: AccessLogFields, _ exchange: Exchange) {
        let host = exchange.host
        if !fields.contains(.host), !host.isEmpty { block.member("host", text: host.readable) }
        block.member("tls", exchange.isSecure)
        guard let principal = exchange.principal else { return }
        block.member("caller", principal.kind.rawValue)
        block.member("credential", principal.method.rawValue)
        block.member("auth_level", principal.level)
        block.member("roles", principal.roleNames)
        let policy = exchange.snapshot.policy
        block.member("scopes", policy.claims.scopes.names(of: principal.claims.scopes))
        if let backend = principal.backendID { block.member("backend_id", backend) }
        block.member("claims") { claims in
            for (path, digests) in LoggedClaims.digests(of: principal.claims, policy.claims) {
                claims.member(path, digests)
            }
        }
    }

    /// The gateway's decision, regardless of the upstream's response: `allowed` for forwarded requests, `answered` for
    /// its own endpoints and preflights, `denied` for everything else.
    private static func decision(_ exchange: Exchange) -> String {
        if exchange.group != nil { return "allowed" }
        return exchange.response.status < 400 || exchange.response.reason == .responded ? "answered" : "denied"
    }

    /// Writes the buffered lines.
    func flush() {
        guard !block.bytes.isEmpty else { return }
        if !writer.write(block.bytes) { dropped += lines }
        lines = 0
        block = JSONWriter()
        block.reserve(AccessLog.blockSize + 4096)
    }
}
