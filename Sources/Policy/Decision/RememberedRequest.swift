import Bytes
import HTTP

/// A request of which no more is known than its method, host and origin, for a decision without its head.
package final class RememberedRequest {
    private let bytes: [UInt8]
    private let head: RequestHead
    private let headers = HeaderTable()

    /// - Parameters:
    ///   - methodText: name of the method, read for `.extension` alone; an extension without one has only routes for every
    ///     method.
    ///   - host: host and optional port.
    ///   - origin: of the page that sent it; empty where none did.
    package init(
        _ method: Method, methodText: Span<UInt8> = Span(), host: Span<UInt8>, origin: Span<UInt8> = Span()
    ) {
        var bytes: [UInt8] = []
        func add(_ part: Span<UInt8>) -> ByteRange {
            let start = bytes.count
            bytes.append(copying: part)
            return ByteRange(start: start, count: part.count)
        }
        var head = RequestHead.none
        head.method = method
        head.methodText = add(methodText)
        head.authority = add(host)
        if !origin.isEmpty {
            headers.append(HeaderField(name: .empty, value: add(origin), token: .origin))
        }
        self.bytes = bytes
        self.head = head
    }

    /// A decision that takes some of the steps.
    package func decision(_ policy: PolicySnapshot, path: Span<UInt8>, steps: Decision.Steps) -> Decision {
        let bytes = bytes
        return Decision(policy, path: path, bytes: bytes.span, head: head, headers: headers, steps: steps)
    }

    package func advance(_ decision: inout Decision, _ policy: PolicySnapshot, path: Span<UInt8>) -> Decision.Turn {
        let bytes = bytes
        return decision.advance(policy, path: path, bytes: bytes.span, head: head, headers: headers)
    }
}
