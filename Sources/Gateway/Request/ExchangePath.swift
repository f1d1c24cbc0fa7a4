import Bytes
import HTTP
import Policy

/// The canonical path of an exchange.
enum ExchangePath {
    /// Writes the canonical path to the exchange. False if the path is ambiguous (ROLE-05).
    ///
    /// - Parameter bytes: the buffer of the head and of `headers`.
    static func write(_ exchange: Exchange, _ bytes: Span<UInt8>, _ headers: HeaderTable) -> Bool {
        let received = bytes.slice(exchange.head.path)
        let path = exchange.path
        let outcome = RequestPath.canonicalise(
            received, exchange.snapshot.policy, bytes: bytes, head: exchange.head, headers: headers, into: path)
        switch outcome {
        case .rewritten where exchange.forwardAuth != nil && changesSegments(received, path.readable):
            // The proxy forwards the path as received.
            path.reset()
            return false
        case .rewritten: return true
        case .unchanged:
            path.reset()
            path.ensureFree(received.count)
            path.append(received)
            return true
        case .ambiguous:
            path.reset()
            return false
        }
    }

    /// Whether the canonical path lacks segments that were received.
    private static func changesSegments(_ received: Span<UInt8>, _ path: Span<UInt8>) -> Bool {
        CanonicalPath.changesSegments(received, keeping: CanonicalPath.spellings(in: path))
    }
}
