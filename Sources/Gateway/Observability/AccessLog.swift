import Bytes
import HTTP
import Identity
import Policy
import Reactor

/// The access log of one worker: a JSON line for each exchange, gathered in a block that goes out when it is large or
/// a second old. Says who, what, and why; never a token, a password or a query (GW-11).
final class AccessLog {
    private static let blockSize = 64 * 1024
    private let writer: LogWriter
    private var block = JSONWriter()
    private(set) var dropped: UInt64 = 0
    private var lines: UInt64 = 0
    private let addressText = Chunk(capacity: 48)

    init(writer: LogWriter) {
        self.writer = writer
        block.reserve(AccessLog.blockSize + 4096)
    }

    /// Appends the line of a finished exchange. Times in microseconds of the monotonic clock.
    func append(_ exchange: Exchange, finishedAt: Int64, wallSeconds: Int64) {
        block.beginObject()
        block.member("time", wallSeconds)
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
        block.member("status", exchange.status)
        if let route = exchange.route?.name { block.member("route", route) }
        if let subject = exchange.principal?.subject { block.member("subject", subject) }
        if let backend = exchange.principal?.backendID { block.member("backend", backend) }
        if let issuer = exchange.principal?.issuer { block.member("issuer", issuer) }
        block.member("decision", AccessLog.decision(exchange))
        block.member("reason", exchange.reason)
        if let upstream = exchange.group?.settings.name { block.member("upstream", upstream) }
        block.member("bytes_in", exchange.requestBody.passed)
        block.member("bytes_out", exchange.responseBytes)
        block.member("duration_us", finishedAt - exchange.startedAt)
        if exchange.answeredAt > 0, exchange.group != nil {
            block.member("upstream_us", exchange.answeredAt - exchange.forwardedAt)
        }
        block.endObject()
        block.endLine()
        lines += 1
        if block.bytes.count >= AccessLog.blockSize { flush() }
    }

    /// What the gateway decided, whatever the upstream made of it: `allowed` for what was forwarded, `answered` for its own
    /// endpoints and preflights, `denied` for everything else.
    private static func decision(_ exchange: Exchange) -> String {
        if exchange.group != nil { return "allowed" }
        return exchange.status < 400 ? "answered" : "denied"
    }

    /// Hands the gathered lines over.
    func flush() {
        guard !block.bytes.isEmpty else { return }
        if !writer.write(block.bytes) { dropped += lines }
        lines = 0
        block = JSONWriter()
        block.reserve(AccessLog.blockSize + 4096)
    }
}
