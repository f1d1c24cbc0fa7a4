import Bytes
import HTTP
import Model
import Policy

/// Decisions for other proxies (forward auth).
extension RequestPipeline {
    /// Replaces the request of the exchange with the one that a proxy describes. Returns the buffer of its head; nil if the
    /// exchange was answered.
    func describe(_ exchange: Exchange, _ client: ClientConnection, _ buffer: Chunk) -> Chunk? {
        let bytes = buffer.readable
        guard let settings = exchange.snapshot.listener(client.listener)?.rules.forwardAuth else {
            // A reload has given the listener routes.
            client.role = .proxy
            return buffer
        }
        // For the log until the described path is known.
        exchange.path.append(bytes.slice(exchange.head.path))
        guard let form = RequestPipeline.form(of: bytes.slice(exchange.head.path), settings) else {
            responder.reply(exchange, .noRoute, "no such resource")
            return nil
        }
        let question = ForwardAuthQuestion(form, wantsNoBody: exchange.head.method == .head)
        exchange.forwardAuth = question
        guard let peer = client.address, settings.trustedProxies.contains(peer) else {
            responder.reply(exchange, .forwardAuthUntrusted, "the peer may not ask for decisions")
            return nil
        }
        exchange.address = peer
        exchange.forwarding.reset()
        do throws(DescriptionError) {
            guard exchange.stream?.extendedProtocol == nil else { throw .tunnel }
            let described = try DescribedRequest(
                question.form, exchange.head, requestHeaders, bytes, peer: peer, trusted: settings.trustedProxies,
                into: question.buffer)
            guard var head = question.parse(exchange.snapshot.limits.head, into: requestHeaders) else {
                throw .invalidRequest
            }
            exchange.address = described.client
            exchange.isSecure = described.isSecure
            let buffer = question.buffer
            head.upgrade = DescribedRequest.opensWebSocket(requestHeaders, buffer.readable)
            // The connection is read and answered as the question requires.
            head.length = exchange.head.length
            head.minorVersion = exchange.head.minorVersion
            head.keepAlive = exchange.head.keepAlive
            head.expectsContinue = exchange.head.expectsContinue
            exchange.head = head
        } catch {
            responder.reply(exchange, .forwardAuthMalformed, error.detail)
            return nil
        }
        exchange.path.reset()
        return question.buffer
    }

    /// How the request is described in a question with this path; nil if the path is not the endpoint's. It is compared as
    /// received: no proxy sends another spelling.
    private static func form(of path: Span<UInt8>, _ settings: ForwardAuthSettings) -> DescribedRequest.Form? {
        let prefix = settings.pathPrefix
        if !settings.path.isEmpty, bytesEqual(path, settings.path.span) { return .fields }
        guard !prefix.isEmpty, path.count > prefix.count, path[prefix.count] == ASCII.slash,
            bytesEqual(path.extracting(first: prefix.count), prefix.span)
        else { return nil }
        return .prefixed(prefix.count)
    }

    /// Whether the proxy would forward a field that upstreams trust and that the gateway itself would remove. Only Envoy is
    /// told what to remove. The field in which the proxy tells the client's certificate is the proxy's own.
    private func hasUnremovedField(_ exchange: Exchange, _ route: Route, _ bytes: Span<UInt8>) -> Bool {
        let forwarded = exchange.snapshot.forwardedCertificates(of: exchange)
        for i in 0..<requestHeaders.count where exchange.snapshot.managedNames.contains(requestHeaders[i], bytes) {
            if let forwarded, forwarded.isSource(bytes.slice(requestHeaders[i].name)) { continue }
            if !ForwardAuthAnswer.isReplaced(bytes.slice(requestHeaders[i].name), route) { return true }
        }
        return false
    }

    /// Why another proxy must not forward an admitted request; nil if it may.
    func refusesForwarding(_ exchange: Exchange, _ route: Route, _ bytes: Span<UInt8>) -> Reason? {
        // Only the gateway can answer the challenges of the upstream's Webgate.
        if route.entry.options.challengeRule != nil { return .forwardAuthUnsupported }
        if exchange.head.upgrade, Upgrade(extendedConnectTo: route) == nil { return .forwardAuthUnsupported }
        if let sources = route.tokenSources, !route.entry.options.forwardsCredential, let query = exchange.head.query {
            // The proxy would forward the client's token in the query.
            for name in sources.parameters where QueryText.value(of: name, query, bytes) != nil {
                return .forwardAuthUnsupported
            }
        }
        for i in 0..<requestHeaders.count {
            if route.requestFields?.isImitated(by: requestHeaders[i], bytes) == true { return .forwardAuthMalformed }
            for rule in route.injections where rule.field.isImitated(by: bytes.slice(requestHeaders[i].name)) {
                return .forwardAuthMalformed
            }
        }
        if exchange.forwardAuth?.form == .fields, hasUnremovedField(exchange, route, bytes) {
            return .forwardAuthMalformed
        }
        return nil
    }
}
