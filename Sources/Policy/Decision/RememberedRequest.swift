import Bytes
import HTTP
import Model

/// A request of which no more is known than its method, host, origin and what its route asked for, for a decision without
/// its head.
package final class RememberedRequest {
    private let bytes: [UInt8]
    private let head: RequestHead
    private let headers = HeaderTable()

    /// - Parameters:
    ///   - methodText: name of the method, read for `.extension` alone; an extension without one has only routes for every
    ///     method.
    ///   - host: host and optional port.
    ///   - origin: of the page that sent it; empty where none did.
    ///   - conditions: those that it is known to meet.
    package init(
        _ method: Method, methodText: Span<UInt8> = Span(), host: Span<UInt8>, origin: Span<UInt8> = Span(),
        conditions: RouteConditions = RouteConditions()
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
        for condition in conditions.headers {
            let (name, value) = (condition.name, condition.value ?? [])
            headers.append(HeaderField(name: add(name.span), value: add(value.span), token: .other))
        }
        if !conditions.query.isEmpty {
            let form = FormEncoding.form(
                conditions.query.map { condition in
                    (
                        String(decoding: condition.name, as: UTF8.self),
                        String(decoding: condition.value ?? [], as: UTF8.self)
                    )
                })
            head.query = add(form.span)
        }
        self.bytes = bytes
        self.head = head
    }

    /// A decision that takes some of the steps.
    ///
    /// - Parameter now: seconds since 1970.
    package func decision(
        _ policy: PolicySnapshot, path: Span<UInt8>, steps: Decision.Steps, now: Int64
    ) -> Decision {
        let bytes = bytes
        return Decision(policy, path: path, bytes: bytes.span, head: head, headers: headers, steps: steps, now: now)
    }

    /// The path of such a request as its route wants it; nil for an ambiguous one.
    package func canonicalPath(_ received: [UInt8], _ policy: PolicySnapshot) -> [UInt8]? {
        let (bytes, scratch) = (bytes, Chunk(capacity: 3 * received.count + 1))
        switch RequestPath.canonicalise(
            received.span, policy, bytes: bytes.span, head: head, headers: headers, into: scratch)
        {
        case .unchanged: return received
        case .rewritten: return [UInt8](copying: scratch.readable)
        case .ambiguous: return nil
        }
    }

    package func advance(_ decision: inout Decision, _ policy: PolicySnapshot, path: Span<UInt8>) -> Decision.Turn {
        let bytes = bytes
        return decision.advance(policy, path: path, bytes: bytes.span, head: head, headers: headers)
    }
}
