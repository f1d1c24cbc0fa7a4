import Bytes
import HTTP
import Outbound

/// Parses the response to an outbound call incrementally. As strict as for upstreams, and with a limit for everything,
/// since the server is not trusted.
struct CallResponse {
    enum Progress {
        case needsMore
        /// - Parameter isReusable: whether the connection can serve another call.
        case complete(OutboundResponse, isReusable: Bool)
        case failed(OutboundFailure)
    }

    private let method: Method
    private let maximumBytes: Int
    private var parser = ResponseParser(limits: UpstreamConnection.headLimits)
    private var interim = 0
    /// Nil until the final head has arrived.
    private var response: OutboundResponse?
    private var relay = BodyRelay.empty
    private var keepsAlive = false
    /// Received body bytes, including framing.
    private var framed = 0
    /// Whether any byte has arrived.
    private(set) var hasBegun = false

    init(to method: Method, maximumBytes: Int) {
        self.method = method
        self.maximumBytes = maximumBytes
    }

    /// Consumes the inbox.
    ///
    /// - Parameters:
    ///   - table: for the field lines; used during the call only.
    ///   - scratch: an empty chunk, which is empty again afterwards.
    mutating func take(_ inbox: Chunk, table: HeaderTable, scratch: Chunk) -> Progress {
        hasBegun = hasBegun || !inbox.isEmpty
        while response == nil {
            switch parser.parse(inbox.readable, into: table, requestMethod: method) {
            case .needMore: return .needsMore
            case .invalid: return .failed(.malformed)
            case .head(let head):
                if head.status < 200 {
                    interim += 1
                    // No upgrade was requested.
                    guard head.status != 101, interim <= UpstreamConnection.maximumInterim else {
                        return .failed(.malformed)
                    }
                } else {
                    guard StreamSafeText.holds(inbox.readable.extracting(first: head.length)) else {
                        return .failed(.malformed)
                    }
                    begin(head, inbox.readable, table)
                }
                inbox.consume(head.length)
            }
        }
        return takeBody(inbox, scratch)
    }

    private mutating func begin(_ head: ResponseHead, _ bytes: Span<UInt8>, _ table: HeaderTable) {
        func text(_ range: ByteRange) -> String { String(copying: bytes.slice(range)) }
        var response = OutboundResponse(status: head.status)
        for i in 0..<table.count { response.headers.append((text(table[i].name), text(table[i].value))) }
        self.response = response
        relay = BodyRelay(head.framing, to: .raw)
        relay.forwardsTrailers = false
        keepsAlive = head.keepAlive
    }

    private mutating func takeBody(_ inbox: Chunk, _ scratch: Chunk) -> Progress {
        if let length = relay.remainingLength, length > maximumBytes { return .failed(.tooLarge) }
        while !relay.isComplete, !inbox.isEmpty {
            guard let used = try? relay.relay(inbox.readable, into: scratch) else { return .failed(.malformed) }
            response?.body.append(copying: scratch.readable)
            scratch.reset()
            inbox.consume(used)
            framed += used
            // Limits framing too: a body in tiny chunks with long extensions could take forever.
            if relay.passed > maximumBytes || framed > 8 * maximumBytes + Worker.chunkSize { return .failed(.tooLarge) }
            if used == 0 { break }
        }
        return relay.isComplete ? complete(isReusable: keepsAlive && inbox.isEmpty) : .needsMore
    }

    /// The connection has ended.
    ///
    /// - Parameter isClean: whether the server announced the end.
    mutating func end(isClean: Bool, scratch: Chunk) -> Progress {
        defer { scratch.reset() }
        // A truncated body could be half of a key set.
        guard response != nil, isClean, relay.end(into: scratch) else { return .failed(.malformed) }
        return complete(isReusable: false)
    }

    private func complete(isReusable: Bool) -> Progress {
        guard let response else { return .needsMore }
        return .complete(response, isReusable: isReusable)
    }
}
