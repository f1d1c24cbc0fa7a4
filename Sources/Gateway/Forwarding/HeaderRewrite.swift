import Bytes
import HTTP
import Identity
import Issuers
import Model
import Policy

/// Rewrites heads: removes hop-by-hop and managed fields, adds identity and token.
///
/// Everything is serialised from parsed parts; no byte of a head is copied unparsed.
struct HeaderRewrite {
    private static let trailers = Array("trailers".utf8)

    /// Writes the request head for the upstream, including the empty line.
    ///
    /// - Parameters:
    ///   - route: that of the request.
    ///   - path: the canonical path that was matched (ROLE-05).
    ///   - authority: `Host` if the request has none.
    ///   - http2: whether the head goes into an HTTP/2 stream.
    ///   - bytes: the buffer that `exchange.head` and `headers` refer to.
    static func request(
        _ exchange: Exchange, _ route: Route, path: Span<UInt8>, bytes: Span<UInt8>, headers: HeaderTable,
        authority: [UInt8], http2: Bool = false, into chunk: Chunk
    ) {
        let head = exchange.head
        // Includes a blank after each colon, which the original may lack.
        chunk.ensureFree(bytes.count + path.count + headers.count + 1024 + extraLength(exchange, route, authority))
        if let name = head.method.name { chunk.append(name) } else { chunk.append(bytes.slice(head.methodText)) }
        chunk.append(ASCII.space)
        if let rewrite = route.rewrite { rewrite.append(path, to: chunk) } else { chunk.append(path) }
        // The client's tokens are for the gateway (GW-09).
        let tokens = route.entry.options.forwardsCredential ? nil : route.tokenSources
        if let query = head.query {
            if let names = tokens?.parameters, !names.isEmpty {
                QueryText.append(query, without: names, bytes, to: chunk)
            } else {
                chunk.append(UInt8(ascii: "?"))
                chunk.append(bytes.slice(query))
            }
        }
        chunk.append(" HTTP/1.1\r\nHost: ")
        if !route.host.isEmpty {
            chunk.append(route.host)
        } else if head.authority.isEmpty {
            chunk.append(authority)
        } else {
            chunk.append(bytes.slice(head.authority))
        }
        chunk.append("\r\n")
        let options = ConnectionOptions(headers, bytes)
        let managed = exchange.snapshot.managedNames
        let own = route.requestFields
        let (tunnel, trace) = (exchange.tunnel, exchange.times.trace)
        for i in 0..<headers.count {
            let field = headers[i]
            if isDropped(field, route, managed, options, headers, bytes) { continue }
            if let own, own.drops(field, bytes) { continue }
            if let tokens, tokens.isSource(field, bytes) { continue }
            if let trace, trace.replaces(field, bytes) { continue }
            if let tunnel, tunnel.upgrade.replaces(field, bytes) { continue }
            if field.token == .cookie, !route.ownCookies.isEmpty,
                Cookies.hasAny(route.ownCookies, field.value, bytes)
            {
                appendOthers(field, without: route.ownCookies, bytes, to: chunk)
            } else {
                append(field, bytes, to: chunk)
            }
        }
        appendForwarding(exchange, bytes, to: chunk)
        if let prefix = route.rewrite?.stripped, !prefix.isEmpty {
            chunk.append("X-Forwarded-Prefix: ")
            chunk.append(prefix)
            chunk.append("\r\n")
        }
        appendIdentity(exchange, to: chunk)
        appendCertificate(exchange, to: chunk)
        if let trace { chunk.append(trace.field) }
        if let policy = exchange.response.policy { chunk.append(policy.fields) }
        if let own { append(own, exchange, to: chunk) }
        if let rule = route.entry.options.challengeRule {
            chunk.append("User-Agent: ")
            chunk.append(rule.userAgent)
            chunk.append("\r\n")
        }
        if !route.injections.isEmpty { append(exchange.token, route.injections, to: chunk) }
        tunnel?.upgrade.appendRequestFields(to: chunk)
        // Streams can carry trailers, and gRPC requests them by this field (RFC 9113 section 8.2.2).
        if http2, let te = headers.value(.te), FieldList.contains(te, trailers.span, in: bytes) {
            chunk.append("TE: trailers\r\n")
        }
        switch head.framing {
        case .length(let count):
            chunk.append("Content-Length: ")
            chunk.append(decimal: count)
            chunk.append("\r\n")
        // In HTTP/2, END_STREAM replaces the last chunk.
        case .chunked, .untilClose: chunk.append("Transfer-Encoding: chunked\r\n")
        case .none: break
        }
        chunk.append("\r\n")
    }

    /// Size of the additional head fields.
    private static func extraLength(_ exchange: Exchange, _ route: Route, _ authority: [UInt8]) -> Int {
        // The authority is written into two fields, but was received in one.
        var length =
            exchange.requestID.count + exchange.forwarding.count + Int(exchange.head.authority.count) + authority.count
        if let principal = exchange.principal {
            length +=
                principal.subjectField.count + principal.issuerField.count + principal.roleField.count
                + principal.clientField.count + principal.backendField.count + principal.consumerField.count
        }
        length += exchange.certificate?.fieldLength ?? 0
        length += exchange.response.policy?.fields.count ?? 0
        if let rewrite = route.rewrite { length += rewrite.growth + rewrite.stripped.count }
        length += route.host.count
        length += route.entry.options.challengeRule?.userAgent.count ?? 0
        if !route.injections.isEmpty { length += self.length(exchange.token, route.injections) }
        return length
    }

    private static func isDropped(
        _ field: HeaderField, _ route: Route, _ managed: ManagedNames, _ options: ConnectionOptions,
        _ headers: HeaderTable, _ bytes: Span<UInt8>
    ) -> Bool {
        switch field.alias {
        case .other:
            break
        case .host, .contentLength, .xRequestID:
            return true
        case .authorization, .dpop, .socialToken, .applicationKey:
            // The client's credential is meant for the gateway (GW-09).
            if !route.passesCredential { return true }
        case .userAgent:
            if route.entry.options.challengeRule != nil { return true }
        default:
            break
        }
        // An imitation of a field used in the decision, such as `X_Request_ID`, was not part of it; an
        // upstream that normalises names could take it for the real one.
        if field.token == .other, field.alias != .other { return true }
        if HopByHop.drops(field, options, headers, bytes) { return true }
        if managed.contains(field, bytes) { return true }
        for i in route.injections.indices
        where ManagedName.isAlias(bytes.slice(field.name), of: route.injections[i].headerName.span) {
            return true
        }
        return false
    }

    private static func append(_ field: HeaderField, _ bytes: Span<UInt8>, to chunk: Chunk) {
        chunk.append(bytes.slice(field.name))
        chunk.append(": ")
        chunk.append(bytes.slice(field.value))
        chunk.append("\r\n")
    }

    /// A `Cookie` field without the gateway's own cookies, which are for the gateway as every credential is (GW-09).
    private static func appendOthers(
        _ field: HeaderField, without names: [[UInt8]], _ bytes: Span<UInt8>, to chunk: Chunk
    ) {
        let start = chunk.count
        chunk.append(bytes.slice(field.name))
        chunk.append(": ")
        if Cookies.append(field.value, without: names, bytes, to: chunk) {
            chunk.append("\r\n")
        } else {
            chunk.truncate(to: start)
        }
    }

    /// Appends the fields of the tokens that the exchange has.
    static func append(_ tokens: UpstreamToken, _ injections: [InjectionRule], to chunk: Chunk) {
        for i in injections.indices {
            guard let token = tokens[i] else { continue }
            chunk.append(injections[i].headerName)
            chunk.append(": ")
            chunk.append(injections[i].prefix)
            chunk.append(token.value)
            chunk.append(injections[i].suffix)
            chunk.append("\r\n")
        }
    }

    /// Length of the fields of tokens.
    private static func length(_ tokens: UpstreamToken, _ injections: [InjectionRule]) -> Int {
        var length = 0
        for i in injections.indices {
            guard let token = tokens[i] else { continue }
            length += injections[i].headerName.count + injections[i].prefix.count + injections[i].suffix.count
            length += token.value.count + 4
        }
        return length
    }

    /// Copies a head written by `request`, with these tokens in place of its own.
    static func request(
        _ head: Span<UInt8>, with tokens: UpstreamToken, _ injections: [InjectionRule], into chunk: Chunk
    ) {
        chunk.ensureFree(head.count + length(tokens, injections))
        var start = 0
        while start < head.count {
            var end = start
            while end < head.count, head[end] != UInt8(ascii: "\n") { end += 1 }
            let line = head.extracting(start..<min(end + 1, head.count))
            // Only the previous tokens can have fields of these names: the client's were dropped.
            if line.count == 2 { append(tokens, injections, to: chunk) }
            if !injections.contains(where: { isField(line, named: $0.headerName) }) { chunk.append(line) }
            start = end + 1
        }
    }

    private static func isField(_ line: Span<UInt8>, named name: [UInt8]) -> Bool {
        line.count > name.count && line[name.count] == ASCII.colon
            && bytesEqualIgnoringCase(line.extracting(first: name.count), name.span)
    }

    private static func appendForwarding(_ exchange: Exchange, _ bytes: Span<UInt8>, to chunk: Chunk) {
        let said = exchange.forwarding
        if said.isEmpty {
            appendOrigin(exchange, bytes, to: chunk)
        } else {
            chunk.append(said)
        }
        chunk.append("X-Request-Id: ")
        chunk.append(exchange.requestID)
        chunk.append("\r\nVia: ")
        if exchange.stream != nil {
            chunk.append("2.0")
        } else {
            chunk.append(exchange.head.minorVersion == 0 ? "1.0" : "1.1")
        }
        chunk.append(" portcullis\r\n")
    }

    /// Without data from a trusted proxy: describes the connection itself.
    private static func appendOrigin(_ exchange: Exchange, _ bytes: Span<UInt8>, to chunk: Chunk) {
        if let address = exchange.address {
            chunk.append("X-Forwarded-For: ")
            address.append(to: chunk)
            chunk.append("\r\n")
        }
        chunk.append(exchange.isSecure ? "X-Forwarded-Proto: https\r\n" : "X-Forwarded-Proto: http\r\n")
        if !exchange.head.authority.isEmpty {
            chunk.append("X-Forwarded-Host: ")
            chunk.append(bytes.slice(exchange.head.authority))
            chunk.append("\r\n")
        }
    }

    static func appendIdentity(_ exchange: Exchange, to chunk: Chunk) {
        exchange.principal?.appendIdentity(to: chunk)
    }

    /// Writes the fields of a route. Omits a field whose template refers to a missing value.
    /// - Parameter isAnswer: whether the gateway itself generates the response.
    static func append(_ fields: RouteFields, _ exchange: Exchange, isAnswer: Bool = false, to chunk: Chunk) {
        let lines = fields.lines
        for i in lines.indices where lines[i].isOwn || !isAnswer {
            let start = chunk.count
            let pieces = lines[i].pieces
            for j in pieces.indices where !append(pieces[j], exchange, to: chunk) {
                chunk.truncate(to: start)
                break
            }
        }
    }

    private static func append(_ piece: RouteFields.Line.Piece, _ exchange: Exchange, to chunk: Chunk) -> Bool {
        switch piece {
        case .text(let text): chunk.append(text)
        case .requestID: chunk.append(exchange.requestID)
        case .clientIP:
            guard let address = exchange.address else { return false }
            address.append(to: chunk)
        case .user, .issuer, .roles, .claim, .userinfo: return piece.append(exchange.principal, to: chunk)
        }
        return true
    }

    /// Whether a field of an upstream's response is passed to the client.
    static func passesToClient(
        _ field: HeaderField, _ options: ConnectionOptions, _ headers: HeaderTable, _ bytes: Span<UInt8>
    ) -> Bool {
        switch field.token {
        case .other: break
        // The gateway writes its own id, which the upstream got.
        case .contentLength, .xRequestID: return false
        // Replaced by the gateway's own CORS fields (CORS-07).
        case .accessControlAllowOrigin, .accessControlAllowMethods, .accessControlAllowHeaders,
            .accessControlAllowCredentials, .accessControlExposeHeaders, .accessControlMaxAge,
            .accessControlAllowPrivateNetwork:
            return false
        // Upstreams must not set the gateway's login cookies.
        case .setCookie: if Cookies.sets(BrowserCookie.names, field.value, bytes) { return false }
        // `SiteClearing` writes the permitted part; with a protocol upgrade, nothing.
        case .clearSiteData: return false
        default: break
        }
        return !HopByHop.drops(field, options, headers, bytes)
    }

    /// Writes `X-Request-Id`, by which clients name a request to the operator.
    static func appendRequestID(_ exchange: Exchange, to chunk: Chunk) {
        let id = exchange.requestID
        chunk.ensureFree(id.count + 16)
        HeadWriter.appendField("X-Request-Id", id.readable, to: chunk)
    }

    /// Copies the response fields that are passed to the client.
    /// - Parameters:
    ///   - hasCookies: whether the gateway sets cookies in browsers.
    ///   - own: the route's response fields.
    ///   - location: in place of the value of `Location`; nil for that value.
    static func appendResponseFields(
        _ headers: HeaderTable, _ bytes: Span<UInt8>, hasCookies: Bool, _ own: RouteFields? = nil,
        location: [UInt8]? = nil, to chunk: Chunk
    ) {
        let options = ConnectionOptions(headers, bytes)
        for i in 0..<headers.count {
            let field = headers[i]
            if let own, own.drops(field, bytes) { continue }
            if field.token == .clearSiteData {
                if hasCookies { SiteClearing.append(field, bytes, to: chunk) } else { append(field, bytes, to: chunk) }
            } else if let location, field.token == .location {
                HeadWriter.appendField("Location", location.span, to: chunk)
            } else if passesToClient(field, options, headers, bytes) {
                append(field, bytes, to: chunk)
            }
        }
    }
}
