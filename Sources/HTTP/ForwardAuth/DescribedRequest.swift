import Bytes
import Model

/// The request that a proxy describes when it asks whether to forward it.
///
/// Each part of the request has exactly one source. A second source and a missing or malformed part are errors: the proxy
/// would forward another request than the one that was decided.
package struct DescribedRequest: Sendable {
    /// How the request is described.
    package enum Form: Equatable, Sendable {
        /// Method and target are in fields: `X-Forwarded-Method` and `-Uri` (Traefik, Caddy), or `X-Original-Method` and
        /// `-URI` or `-URL` (nginx).
        case fields
        /// The question has the method and, after a prefix of this length, the target of the request (Envoy).
        case prefixed(Int)
    }

    /// The client's address, from `X-Forwarded-For`.
    package let client: IPAddress
    /// Whether the client's connection uses TLS.
    package let isSecure: Bool

    /// Reads the description, and writes the head of the described request as HTTP/1.1 for `RequestParser`.
    ///
    /// - Parameters:
    ///   - head: of the question.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - peer: the proxy that asks.
    ///   - trusted: proxies whose elements of `X-Forwarded-For` are not the client.
    package init(
        _ form: Form, _ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>, peer: IPAddress,
        trusted: [IPAddressRange], into chunk: Chunk
    ) throws(DescriptionError) {
        try DescribedRequest.refuseMisleading(headers, bytes)
        let fields = try DescriptionFields(headers, bytes)
        let parts =
            switch form {
            case .fields: try DescribedParts(fields, head, bytes)
            case .prefixed(let length): try DescribedParts(fields, head, bytes, prefix: length)
            }
        isSecure = parts.isSecure
        client = try DescribedRequest.client(headers, bytes, peer: peer, trusted: trusted)
        chunk.ensureFree(bytes.count + 64)
        chunk.append(bytes.slice(parts.method))
        chunk.append(ASCII.space)
        chunk.append(bytes.slice(parts.target))
        chunk.append(" HTTP/1.1\r\n")
        HeadWriter.appendField("Host", bytes.slice(parts.host), to: chunk)
        let options = ConnectionOptions(headers, bytes)
        for i in 0..<headers.count where !DescriptionFields.isOfQuestion(headers[i], options, headers, bytes) {
            HeadWriter.appendField(bytes.slice(headers[i].name), bytes.slice(headers[i].value), to: chunk)
        }
        HeadWriter.appendEnd(to: chunk)
    }

    /// Whether the described request opens a WebSocket (RFC 6455 section 4.1). Proxies do not pass `Upgrade` on.
    package static func opensWebSocket(_ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        for i in 0..<headers.count where headers[i].token == .other {
            if matches(bytes.slice(headers[i].name), "Sec-WebSocket-Key") { return true }
        }
        return false
    }

    /// Refuses fields that the gateway would remove before forwarding, since they make upstreams do something else than
    /// was decided. The proxy may not remove them in all their spellings.
    private static func refuseMisleading(_ headers: HeaderTable, _ bytes: Span<UInt8>) throws(DescriptionError) {
        for i in 0..<headers.count {
            let field = headers[i]
            switch field.alias {
            case .xHTTPMethodOverride, .xMethodOverride, .xHTTPMethod, .xRewriteURL: throw .override
            default: break
            }
            guard field.token == .other else { continue }
            if field.alias != .other || isImitation(bytes.slice(field.name)) { throw .imitation }
        }
    }

    /// Whether an upstream may take a field for one that the gateway sets or reads, although it has another name.
    private static func isImitation(_ name: Span<UInt8>) -> Bool {
        for original in originals where original.isImitated(by: name) { return true }
        return false
    }

    private static let originals = [
        "X-Gateway-User", "X-Gateway-Issuer", "X-Gateway-Roles", "X-Gateway-Backend",
        "X-Gateway-Consumer", "X-Gateway-Client", "X-Gateway-Client-Subject",
        "X-Gateway-Client-Names",
        "X-Gateway-Client-Fingerprint", "X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method", "X-Rewrite-URL",
        "X-Forwarded-Method", "X-Forwarded-Uri", "X-Original-URI", "Authorization", "Cookie",
    ].map(OwnFieldName.init)

    /// The client by `X-Forwarded-For`, read from right to left. The peer added the last element, which must be an address.
    private static func client(
        _ headers: HeaderTable, _ bytes: Span<UInt8>, peer: IPAddress, trusted: [IPAddressRange]
    ) throws(DescriptionError) -> IPAddress {
        guard headers.occurrences(.xForwardedFor) > 0 else { throw .missingClient }
        let fields = ForwardedFields.read(
            headers, bytes, family: .xForwarded, peer: peer, chain: Chunk(capacity: 256), trusted: trusted)
        guard fields.hops > 0 else { throw .malformedClient }
        return fields.client
    }
}
