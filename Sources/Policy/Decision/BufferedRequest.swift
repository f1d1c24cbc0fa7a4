import Bytes
import HTTP
import Model

/// The head of a request with its buffer, for decisions outside of the data plane.
package final class BufferedRequest {
    package let bytes: [UInt8]
    package let head: RequestHead
    package let headers = HeaderTable()

    /// Parses a head.
    /// - Parameter text: as a client sends it, with the empty line.
    package init(_ text: [UInt8]) throws(HTTPParseError) {
        bytes = text
        var parser = RequestParser(limits: HTTPLimits())
        switch parser.parse(text.span, into: headers) {
        case .head(let parsed): head = parsed
        case .invalid(let error): throw error
        case .needMore: throw .malformedRequestLine
        }
    }

    /// A request of which no more is known than its method, host, path, origin and what its route asked for.
    ///
    /// - Parameters:
    ///   - methodText: name of the method, read for `.extension` alone; an extension without one has only routes for every
    ///     method.
    ///   - host: host and optional port.
    ///   - path: as received; empty where it is not needed.
    ///   - origin: of the page that sent it; empty where none did.
    ///   - conditions: those that it is known to meet.
    package init(
        _ method: Method, methodText: Span<UInt8> = Span(), host: Span<UInt8>, path: Span<UInt8> = Span(),
        origin: Span<UInt8> = Span(), conditions: RouteConditions = RouteConditions()
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
        head.path = add(path)
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

    /// The path as its route wants it.
    /// - Throws: why it can be read in more than one way.
    package func canonicalPath(_ policy: PolicySnapshot) throws(PathAmbiguity) -> [UInt8] {
        let bytes = bytes
        let received = bytes.span.slice(head.path)
        let scratch = Chunk(capacity: 3 * received.count + 1)
        switch RequestPath.canonicalise(
            received, policy, bytes: bytes.span, head: head, headers: headers, into: scratch)
        {
        case .unchanged: return [UInt8](copying: received)
        case .rewritten: return [UInt8](copying: scratch.readable)
        case .ambiguous(let ambiguity): throw ambiguity
        }
    }
}
