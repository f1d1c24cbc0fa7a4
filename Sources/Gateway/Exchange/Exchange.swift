import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy
import Reactor

/// One request and its response: what the worker knows of it from the first byte of the head to the last of the answer.
///
/// Objects are reused; buffers in them keep their capacity, so that a warm worker allocates nothing for an exchange.
final class Exchange: SlabElement {
    let index: Int
    var nextVacant: Exchange?
    var generation: UInt32 = 0
    private(set) var stage = Stage.deciding
    var client: ClientConnection?
    /// The stream that it came in, where the client speaks HTTP/2.
    var stream: H2Stream?
    /// Place among the exchanges of the connection, for a stream.
    var place = 0
    /// When the client of a stream must have done its part; a connection of HTTP/1 has the time itself.
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max
    var snapshot: GatewaySnapshot
    var head: RequestHead
    var route: Route?
    var endpoint: EndpointRoute?
    var principal: Principal?
    /// The decision, while it waits for the verification of the credential.
    var decision: Decision?
    /// What the client's certificate says, where the route looks at it.
    var certificate: ClientCertificate?
    var token = UpstreamToken()
    /// The value of `Origin` of an allowed cross-site request; empty for every other.
    let origin = Chunk(capacity: 128)
    /// The request fields that the answer depends on.
    var varies: VaryingFields = []
    let requestID = Chunk(capacity: 128)
    /// The path matched and forwarded, kept for the log and for the review of a long-lived exchange.
    let path = Chunk(capacity: 256)
    /// Host and port that the request was for, kept for that review.
    let host = Chunk(capacity: 128)
    /// The start of `User-Agent`, where the access log has it.
    var userAgent: Chunk?
    /// The upgrade that is asked for, and what comes of it.
    var tunnel: Tunnel?
    /// Place among the exchanges that last; -1 for one that does not.
    var longLivedIndex = -1
    /// The body of a request to a gateway endpoint, or one that is kept so that the request can be repeated.
    var collected: [UInt8] = []
    /// Bytes of that body, framing included, that stand read behind the head in the inbox.
    var bodySeen = 0
    var adminResource: AdminResource?
    /// The client's address as far as it is known: of the connection, or what trusted proxies say.
    var address: IPAddress?
    /// Whether the client's own connection is encrypted.
    var isSecure = false
    /// The forwarding field lines for the upstream, where a trusted proxy has said something; empty otherwise.
    let forwarding = Chunk(capacity: 256)
    /// Blocking work that is done for the exchange.
    var blockingJob: BlockingJob?
    /// The client's time for the request body.
    var bodyPace = Pace()
    /// Of a stream: what its client has taken of the response.
    var delivery = Delivery()
    /// When an exchange that waits for a decision must have it.
    var decisionDeadline: Int64 = .max
    /// `PolicySnapshot.keyEpoch` as it was before the credential was looked at.
    var keyEpoch: UInt64 = 0
    /// Counters that are gathered for `/metrics`.
    var collection: MetricsCollection?

    /// The upstream of the route, and its server of the current attempt.
    var group: UpstreamGroup?
    var server: UpstreamServer?
    var upstream: UpstreamConnection?
    /// What is kept for the upstream's limits and for further attempts.
    var attempt = Attempt()
    var sent = SentRequest()
    /// What of the request body is still to come, and how it goes to the upstream.
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

    /// Identity of this exchange for a message that comes later.
    var identity: UInt64 { UInt64(generation) << 32 | UInt64(index) }

    /// Seconds since 1970 when the credential of the caller ends.
    var expiresAt: Int64 { principal?.expiresAt ?? .max }

    /// How long the upstream may take to answer, in milliseconds.
    var answerTimeout: Int64 { response.timeout > 0 ? response.timeout : group?.settings.responseTimeout ?? 60_000 }

    /// The longest body that the exchange may have; nil for no limit.
    var bodyLimit: Int? { snapshot.bodyLimit(of: route) }

    /// How long the exchange may be silent, in milliseconds, where it is one that lasts.
    var silenceTimeout: Int64 {
        let limit = snapshot.limits.tunnelIdleTimeout
        // One side has said all: the other has the time of an answer.
        return tunnel?.isHalfClosed == true ? min(limit, answerTimeout) : limit
    }

    /// Adds to the body that is collected. It is taken out for that: an array that is changed in place would be guarded
    /// against overlapping access wherever it is looked at, with each request.
    func collect(_ bytes: Span<UInt8>) {
        var body = collected
        collected = []
        body.append(copying: bytes)
        collected = body
    }

    /// The buffer that the head of the request stands in, at its front, until it is forwarded or answered.
    var headBuffer: Chunk? { stream?.head ?? client?.socket?.inbox }

    /// The connection takes no further requests: what comes behind this one could not be told from its body. Streams
    /// are told apart by their frames.
    func endConnection() {
        if stream == nil { client?.closing = true }
    }

    /// Makes the object ready for its next use.
    func reset() {
        generation &+= 1
        stage = .deciding
        client = nil
        stream = nil
        deadline = .max
        head = .none
        route = nil
        endpoint = nil
        principal = nil
        if decision != nil { decision = nil }
        certificate = nil
        token = UpstreamToken()
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
        group = nil
        server = nil
        upstream = nil
        attempt = Attempt()
        sent = SentRequest()
        requestBody = .empty
        response = ExchangeResponse()
    }
}

/// The request as written to the upstream.
struct SentRequest {
    /// Held until the first byte of the response, for further attempts.
    var chunk: Chunk?
    var length = 0
    /// The request may be sent again: that changes nothing (RFC 9110 section 9.2.2), and no response to it has begun.
    var mayReplay = false
    /// Trailer fields that have come, where the upstream takes them in a frame.
    var trailers: [UInt8] = []
}

/// The response to the client.
struct ExchangeResponse {
    var status = 0
    /// Stable code of the decision or failure; `allowed` where the request was forwarded.
    var reason = Reason.allowed
    var bytes = 0
    /// The head was written to the client.
    var hasBegun = false
    /// Trailer fields that have come, where the client takes them in a frame.
    var trailers: [UInt8] = []
    /// The time that the upstream has to answer, in milliseconds; 0 for that of its settings.
    var timeout: Int64 = 0
}

/// Request fields that `Vary` names.
struct VaryingFields: OptionSet {
    let rawValue: UInt8
    static let origin = VaryingFields(rawValue: 1)
    /// So that no cache gives a page of one user to another (RFC 9111 section 4.1).
    static let cookie = VaryingFields(rawValue: 2)
}

/// The access token that a request shows to its upstream.
struct UpstreamToken {
    var issued: IssuedToken?
    /// The issuer and the place that the token is for.
    var target: InjectionTarget?
    /// The upstream has refused a token with 401 once, and the request goes there with another one.
    var wasRefused = false
}

/// Microseconds of the monotonic clock.
struct ExchangeTimes {
    /// The head of the request was there.
    var startedAt: Int64 = 0
    /// The request was written for the upstream.
    var forwardedAt: Int64 = 0
    /// The head of the upstream's response was there; 0 where none has come.
    var answeredAt: Int64 = 0
}

/// What a client has taken of what was sent to it, when its time to take more began.
struct Delivery {
    var bytes = 0
    /// In milliseconds of the loop's clock.
    var since: Int64 = 0
}

/// Counters of workers for `/metrics`.
struct MetricsCollection {
    /// The sum of those that have come.
    var report: WorkerMetrics
    /// How many workers have not reported.
    var missing: Int
}
