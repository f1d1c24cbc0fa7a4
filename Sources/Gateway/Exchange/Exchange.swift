import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor

/// One request and its response, from the first byte of the head to the last byte of the answer.
///
/// Objects are reused, and their buffers keep their capacity, so that a warm worker allocates nothing per exchange.
final class Exchange: SlabElement {
    let index: Int
    var nextVacant: Exchange?
    var generation: UInt32 = 0
    private(set) var stage = Stage.deciding
    var client: ClientConnection?
    /// Its HTTP/2 stream; nil for HTTP/1.
    var stream: H2Stream?
    /// Index among the exchanges of the connection, for a stream.
    var place = 0
    /// The client's deadline in a stream; for HTTP/1 the connection has it.
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max
    var snapshot: GatewaySnapshot
    var head: RequestHead
    var route: Route?
    var endpoint: EndpointRoute?
    /// Set if another proxy asks for a decision.
    var forwardAuth: ForwardAuthQuestion?
    var principal: Principal?
    /// The decision while the credential is being verified.
    var decision: Decision?
    /// The client's certificate, if the route uses it.
    var certificate: ClientCertificate?
    var token = UpstreamToken()
    /// `Origin` of an allowed cross-site request; otherwise empty.
    let origin = Chunk(capacity: 128)
    /// Request fields that the answer depends on.
    var varies: VaryingFields = []
    let requestID = Chunk(capacity: 128)
    /// The path matched and forwarded, kept for the log and for reviews of long-lived exchanges.
    let path = Chunk(capacity: 256)
    /// Host and port of the request, kept for reviews.
    let host = Chunk(capacity: 128)
    /// Beginning of `User-Agent`, if logged.
    var userAgent: Chunk?
    /// The requested upgrade and its tunnel.
    var tunnel: Tunnel?
    /// Index among the long-lived exchanges; -1 for others.
    var longLivedIndex = -1
    /// The body of a request to a gateway endpoint, or one kept for repeating the request.
    var collected: [UInt8] = []
    /// Bytes of that body, including framing, that were read after the head in the inbox.
    var bodySeen = 0
    var adminResource: AdminResource?
    /// The client's address: of the connection, or from trusted proxies.
    var address: IPAddress?
    /// Whether the client's own connection uses TLS.
    var isSecure = false
    /// Forwarding field lines for the upstream, if a trusted proxy sent any; otherwise empty.
    let forwarding = Chunk(capacity: 256)
    /// Blocking work in progress for the exchange.
    var blockingJob: BlockingJob?
    /// The client's minimum rate for the request body.
    var bodyPace = Pace()
    /// For a stream: bytes of the response that the client has taken.
    var delivery = Delivery()
    /// Deadline for the decision.
    var decisionDeadline: Int64 = .max
    /// `PolicySnapshot.keyEpoch` before the credential was verified.
    var keyEpoch: UInt64 = 0
    /// Counters being collected for `/metrics`.
    var collection: MetricsCollection?

    /// The route's upstream, and its server for the current attempt.
    var group: UpstreamGroup?
    var server: UpstreamServer?
    var upstream: UpstreamConnection?
    /// State for the upstream's limits and for retries.
    var attempt = Attempt()
    var sent = SentRequest()
    /// The remaining request body, and its framing towards the upstream.
    var requestBody = BodyRelay.empty
    var response = ExchangeResponse()
    var times = ExchangeTimes()

    init(index: Int, snapshot: GatewaySnapshot) {
        self.index = index
        self.snapshot = snapshot
        head = .none
    }

    /// The exchange goes on to another stage.
    func enter(_ next: Stage) {
        assert(stage.leads(to: next), "from \(stage) to \(next)")
        stage = next
    }

    /// Identifies this exchange in later messages.
    var identity: UInt64 { UInt64(generation) << 32 | UInt64(index) }

    /// Seconds since 1970 when the caller's credential expires, or the login behind it is too old for the route.
    var expiresAt: Int64 { principal.map { route?.end(of: $0) ?? $0.expiresAt ?? .max } ?? .max }

    /// The upstream's response timeout in milliseconds.
    var answerTimeout: Int64 { response.timeout > 0 ? response.timeout : group?.settings.responseTimeout ?? 60_000 }

    /// Idle timeout of a long-lived exchange, in milliseconds.
    var silenceTimeout: Int64 {
        let limit = snapshot.limits.tunnelIdleTimeout
        // One side has ended: the other has the response timeout.
        return tunnel?.isHalfClosed == true ? min(limit, answerTimeout) : limit
    }

    /// Adds to the collected body. The array is moved out meanwhile: changing it in place would add an exclusivity
    /// check to every access, with each request.
    func collect(_ bytes: Span<UInt8>) {
        var body = collected
        collected = []
        body.append(copying: bytes)
        collected = body
    }

    /// The buffer with the request's head at its front, until it is forwarded or answered.
    var headBuffer: Chunk? { stream?.head ?? client?.socket?.inbox }

    /// Ends the connection after this exchange: the end of its body is unknown, so following requests cannot be found.
    /// Streams are unaffected, since frames delimit them.
    func endConnection() {
        if stream == nil { client?.closing = true }
    }

    /// Resets the object for reuse.
    func reset() {
        generation &+= 1
        stage = .deciding
        client = nil
        stream = nil
        deadline = .max
        head = .none
        route = nil
        endpoint = nil
        if forwardAuth != nil { forwardAuth = nil }
        principal = nil
        if decision != nil { decision = nil }
        certificate = nil
        if token.isUsed { token = UpstreamToken() }
        varies = []
        origin.reset()
        requestID.reset()
        path.reset()
        host.reset()
        if userAgent != nil { userAgent = nil }
        tunnel = nil
        if collected.capacity > 0 { collected = [] }
        bodySeen = 0
        adminResource = nil
        address = nil
        isSecure = false
        forwarding.reset()
        blockingJob?.cancel()
        blockingJob = nil
        bodyPace = Pace()
        decisionDeadline = .max
        if collection != nil { collection = nil }
        times.answeredAt = 0
        if times.trace != nil { times.trace = nil }
        // Without a group nothing was sent, and nothing of an upstream was set.
        if group != nil {
            group = nil
            server = nil
            upstream = nil
            attempt = Attempt()
        }
        sent = SentRequest()
        requestBody = .empty
        response = ExchangeResponse()
    }
}

/// The request as written to the upstream.
struct SentRequest {
    /// Held for retries until the first byte of the response.
    var chunk: Chunk?
    var length = 0
    /// Whether the request may be sent again: it is idempotent (RFC 9110 section 9.2.2), and no response has begun.
    var mayReplay = false
    /// Received trailer fields, for an upstream that gets them in a frame.
    var trailers: [UInt8] = []
}

/// The response to the client.
struct ExchangeResponse {
    var status = 0
    /// Whether the client gets 200 in place of `status`, since it reads the status of a gRPC call.
    var isOfCall = false
    /// Reason code of the decision or failure; `allowed` if forwarded.
    var reason = Reason.allowed
    /// What was compared when the request was refused. Never sent to the client.
    var evidence: Evidence?
    /// The step of the decision that refused the request; nil where none did.
    var step: Decision.Step?
    /// Why the route's rule on trial would have refused the request.
    var trialDenial: Reason?
    /// Questions to policy servers and their answers; nil without such servers.
    var policy: PolicyRecord?
    /// The message to an MCP server; nil on other routes.
    var message: MessageRecord?
    var bytes = 0
    /// Whether the head was written to the client.
    var hasBegun = false
    /// Whether the client can tell a response that breaks off from a complete one: by its length, its last chunk or the
    /// end of its stream.
    var isDelimited = false
    /// Received trailer fields, for a client that gets them in a frame.
    var trailers: [UInt8] = []
    /// Nonce for the client's next proof of possession (RFC 9449 section 8.2); nil for none.
    var nonce: String?
    /// Response timeout of the upstream in milliseconds; 0 for its settings.
    var timeout: Int64 = 0

    /// Whether the client got a refusal or an error of the gateway's own, or a login form in place of one.
    var isRefusal: Bool { !reason.isServed && status >= 300 && status != ExchangeResponse.clientGone }

    /// The status of a request whose client had disconnected.
    static let clientGone = 499
}

/// Request fields for `Vary`.
struct VaryingFields: OptionSet {
    let rawValue: UInt8
    static let origin = VaryingFields(rawValue: 1)
    /// Prevents caches from serving one user's page to another (RFC 9111 section 4.1).
    static let cookie = VaryingFields(rawValue: 2)
}

/// The access tokens that a request carries to its upstream.
struct UpstreamToken {
    /// The token of the route's first rule.
    var issued: IssuedToken?
    /// Those of its other rules; empty for most routes, so that a request allocates nothing.
    private var others: [IssuedToken?] = []
    /// Issuer and target of the token for an upstream that challenges; nil for others.
    var target: InjectionTarget?
    /// Whether the upstream refused a token with 401 once, so that the request is repeated with another one.
    var wasRefused = false

    /// The token of a rule by its place in the route's list.
    subscript(place: Int) -> IssuedToken? {
        get { place == 0 ? issued : place <= others.count ? others[place - 1] : nil }
        set {
            if place == 0 {
                issued = newValue
            } else {
                while others.count < place { others.append(nil) }
                others[place - 1] = newValue
            }
        }
    }

    /// Whether it differs from that of a new request. Most requests have no token, and need not write a new one.
    var isUsed: Bool { issued != nil || target != nil || wasRefused || !others.isEmpty }

    /// Whether there is a token for each of so many rules.
    func isComplete(_ count: Int) -> Bool {
        for place in 0..<count where self[place] == nil { return false }
        return true
    }
}

/// Microseconds of the monotonic clock.
struct ExchangeTimes {
    /// When the request's head was complete.
    var startedAt: Int64 = 0
    /// When the request was serialised for the upstream.
    var forwardedAt: Int64 = 0
    /// When the head of the upstream's response was complete; 0 if none arrived.
    var answeredAt: Int64 = 0
    /// The spans of the request; nil without tracing.
    var trace: RequestTrace?
}

/// What a client had taken when its time to take more began.
struct Delivery {
    var bytes = 0
    /// In milliseconds of the loop's clock.
    var since: Int64 = 0
}

/// Counters of workers for `/metrics`. A class, so that it takes no room in other exchanges.
final class MetricsCollection {
    /// The sum of the reports so far.
    var report: WorkerMetrics
    /// Number of workers that have not reported.
    var missing: Int

    init(_ report: WorkerMetrics, missing: Int) {
        self.report = report
        self.missing = missing
    }
}
