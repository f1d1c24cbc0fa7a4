import Bytes
import HTTP
import Reactor

/// What an exchange does to its client's end, whatever protocol the client speaks.
extension Worker {
    // MARK: Reading

    /// The buffer that the head of the request stands in, at its front, until it is forwarded or answered.
    func headBuffer(_ exchange: Exchange) -> Chunk? { exchange.client?.socket?.inbox }

    /// Parses the head of a parked exchange again, into `requestHeaders`. Answers the buffer it stands in.
    func reread(_ exchange: Exchange) -> Chunk? {
        guard let buffer = headBuffer(exchange) else { return nil }
        var parser = RequestParser(limits: exchange.snapshot.limits.head)
        guard case .head = parser.parse(buffer.readable, into: requestHeaders) else { return nil }
        return buffer
    }

    // MARK: Writing

    /// Sends a 1xx. The chunk holds its whole head.
    func sendInterim(_ chunk: Chunk, status: Int, to exchange: Exchange) {
        guard let side = exchange.clientSide else {
            poller.chunks.give(chunk)
            return
        }
        send(chunk, to: side)
    }

    /// Sends the head of a response, which the chunk holds whole. The body follows unless it has `ended`.
    func sendHead(_ chunk: Chunk, ended: Bool, of exchange: Exchange, to side: Side) { send(chunk, to: side) }

    /// Sends a response that is complete: the chunk holds the head.
    func sendWhole(_ chunk: Chunk, _ body: Span<UInt8>?, of exchange: Exchange, to side: Side) {
        if let body { chunk.append(body) }
        send(chunk, to: side)
    }

    /// The connection is not for further requests: what comes behind this one could not be told from its body.
    func endConnection(after exchange: Exchange) { exchange.client?.closing = true }

    // MARK: Time

    /// The client must have done its part within so many milliseconds.
    func setClientDeadline(_ exchange: Exchange, in milliseconds: Int64) {
        if let client = exchange.client { setDeadline(client, in: milliseconds) }
    }

    func setClientDeadline(_ exchange: Exchange, at deadline: Int64) {
        if let client = exchange.client { setDeadline(client, at: deadline) }
    }

    func clearClientDeadline(_ exchange: Exchange) { exchange.client?.deadline = .max }
}
