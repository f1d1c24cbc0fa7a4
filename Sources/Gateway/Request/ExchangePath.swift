import Bytes
import HTTP
import Policy

/// The canonical path of an exchange.
enum ExchangePath {
    /// Writes the canonical path to the exchange. False if the path is ambiguous (ROLE-05): then it is written as received,
    /// for the log.
    ///
    /// - Parameter bytes: the buffer of the head and of `headers`.
    static func write(_ exchange: Exchange, _ bytes: Span<UInt8>, _ headers: HeaderTable) -> Bool {
        let received = bytes.slice(exchange.head.path)
        let path = exchange.path
        let outcome = RequestPath.canonicalise(
            received, exchange.snapshot.policy, bytes: bytes, head: exchange.head, headers: headers, into: path)
        switch outcome {
        // The proxy forwards the path as received.
        case .rewritten where exchange.forwardAuth == nil || !changesSegments(received, path.readable): return true
        case .unchanged, .rewritten, .ambiguous:
            path.reset()
            path.ensureFree(received.count)
            path.append(received)
            return outcome == .unchanged
        }
    }

    /// Whether the canonical path lacks segments that were received.
    private static func changesSegments(_ received: Span<UInt8>, _ path: Span<UInt8>) -> Bool {
        CanonicalPath.changesSegments(received, keeping: CanonicalPath.spellings(in: path))
    }
}
