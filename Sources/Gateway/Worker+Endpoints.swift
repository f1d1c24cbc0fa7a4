import Bytes
import HTTP
import Identity
import Model
import Policy
import Reactor
import Tokens

/// The gateway's own endpoints: a kind of route whose upstream is the token service.
extension Worker {
    /// A request for an endpoint, cross-site rules passed.
    func enter(_ endpoint: Endpoint, _ exchange: Exchange, _ bytes: Span<UInt8>) {
        // Its client would take any 2xx for a tunnel (RFC 8441 section 4).
        if exchange.stream?.extendedProtocol != nil {
            upstreamClient.refuseUpgrade(exchange)
            return
        }
        guard passesEndpointLimits(exchange) else { return }
        if endpoint.takesCredentials, !isFitForCredentials(exchange) {
            responder.deny(exchange, .tlsRequired, bytes)
            return
        }
        if endpoint.isForBrowsers(requestHeaders),
            !exchange.snapshot.policy.mayUseForms(exchange.head, requestHeaders, bytes)
        {
            responder.deny(exchange, .crossSiteRequest, bytes)
            return
        }
        guard endpoint.wantsPrincipal else {
            takeBody(exchange)
            return
        }
        exchange.keyEpoch = exchange.snapshot.policy.keyEpoch
        let outcome = exchange.snapshot.policy.authenticate(
            nil, bytes: bytes, headers: requestHeaders, from: exchange.address, now: poller.wallSeconds,
            cache: tokenCache)
        switch outcome {
        case .principal(let principal):
            exchange.principal = principal
            takeBody(exchange)
        case .none: responder.deny(exchange, .missingCredential, bytes)
        case .rejected(let reason), .malformed(let reason): responder.deny(exchange, reason, bytes)
        case .resolve(let effect): resolve(effect, exchange)
        }
    }

    /// Whether nobody on the way could have read the request (GW-13): it came over TLS, as the gateway sees itself or as
    /// a trusted proxy says, or by a listener that takes credentials in the clear.
    private func isFitForCredentials(_ exchange: Exchange) -> Bool {
        guard !exchange.isSecure, let client = exchange.client else { return true }
        return exchange.snapshot.listener(client.listener)?.takesClearCredentials == true
    }

    /// Reads the whole body, which endpoints limit, and then asks the token service.
    func takeBody(_ exchange: Exchange) {
        if let remaining = exchange.requestBody.remainingLength, remaining > exchange.maximumCollected {
            responder.refuseLargeBody(exchange)
            return
        }
        exchange.stage = .collectingBody
        if exchange.decisionDeadline == .max {
            exchange.decisionDeadline = poller.now + exchange.snapshot.limits.decisionTimeout
        }
        // The endpoint wants the body without its framing.
        exchange.requestBody = BodyRelay(exchange.head.framing, to: .raw)
        if exchange.head.expectsContinue, !exchange.requestBody.isComplete { sendContinue(exchange) }
        collectBody(exchange)
    }

    private func sendContinue(_ exchange: Exchange) {
        let chunk = poller.chunks.take()
        chunk.append("HTTP/1.1 100 Continue\r\n\r\n")
        transport.sendInterim(chunk, status: 100, to: exchange)
    }

    /// Takes what has come of the body. The head stays in front of it in the inbox, for the endpoint to be read from.
    func collectBody(_ exchange: Exchange) {
        guard let side = exchange.clientSide else { return }
        if case .stream = side {
            collectFrames(exchange, side)
            return
        }
        guard let inbox = side.inbox else { return }
        let headLength = exchange.head.length
        while !exchange.requestBody.isComplete, inbox.count > headLength + exchange.bodySeen {
            let output = poller.chunks.take()
            defer { poller.chunks.give(output) }
            let rest = inbox.readable.extracting((headLength + exchange.bodySeen)...)
            var body = exchange.requestBody
            guard let used = try? body.relay(rest, into: output) else {
                exchange.endConnection()
                responder.reply(exchange, .malformedBody, "malformed request body")
                return
            }
            exchange.requestBody = body
            exchange.collect(output.readable)
            exchange.bodySeen += used
            // Framing counts as well: a body in tiny chunks with long extensions is no reason to hold much memory.
            if exchange.collected.count > exchange.maximumCollected
                || exchange.bodySeen > 8 * exchange.maximumCollected
            {
                responder.refuseLargeBody(exchange)
                return
            }
            if used == 0 { break }
        }
        if exchange.requestBody.isComplete {
            enterLine(exchange)
            return
        }
        if inbox.free == 0, case .socket(let socket) = side { poller.growInbox(socket, toHold: inbox.count * 2) }
        exchanges.paceRequestBody(exchange)
        transport.readMore(side)
    }

    /// Takes what has come of the body of a stream, whose head stands apart from it.
    private func collectFrames(_ exchange: Exchange, _ side: Side) {
        while let chunk = transport.takeInbox(side) {
            exchange.collect(chunk.readable)
            poller.chunks.give(chunk)
            if exchange.collected.count > exchange.maximumCollected {
                responder.refuseLargeBody(exchange)
                return
            }
        }
        guard exchange.requestBody.isComplete || side.isExhausted else {
            exchanges.paceRequestBody(exchange)
            return
        }
        exchange.requestBody = .empty
        enterLine(exchange)
    }

    /// The token service answers a request that is whole, at once or from the computing pool; another goes on to its
    /// upstream.
    func callEndpoint(_ exchange: Exchange) {
        if let resource = exchange.adminResource {
            exchange.head.length += exchange.bodySeen
            callAdmin(exchange, resource)
            return
        }
        guard let endpoint = exchange.endpoint else {
            bodyKept(exchange)
            return
        }
        guard let buffer = exchanges.reread(exchange) else {
            frontend.abandon(exchange, reason: .clientClosed)
            return
        }
        let length = exchange.head.length
        exchange.head.length += exchange.bodySeen
        guard isStreamSafe(exchange, buffer.readable, length: length) else { return }
        let request = endpointRequest(exchange, buffer.readable)
        answer(
            exchange.snapshot.tokens.handle(request, endpoint: endpoint.ofTokenService, now: poller.wallSeconds),
            exchange)
    }

    /// Answers with what an endpoint has come to, as soon as it is known.
    func answer(_ effect: Effect<EndpointResponse>, _ exchange: Exchange) {
        let identity = exchange.identity
        switch effect {
        case .done(let response): responder.respond(exchange, response)
        case .offload(let work):
            park(exchange, in: .inEndpoint, shared.computing) { .endpoint(exchange: identity, work()) }
        case .hash(let work): park(exchange, in: .inEndpoint, shared.hashes) { .endpoint(exchange: identity, work()) }
        case .await(let begin):
            exchanges.park(exchange, in: .inEndpoint)
            let mailbox = context.mailbox
            begin { mailbox.post(.endpoint(exchange: identity, $0)) }
        }
    }

    /// Whether the head may be made text, and its names and values compared as such; if not, the exchange is answered.
    func isStreamSafe(_ exchange: Exchange, _ bytes: Span<UInt8>, length: Int) -> Bool {
        // A stream's head stands by itself.
        if StreamSafeText.holds(exchange.stream == nil ? bytes.extracting(first: length) : bytes) { return true }
        responder.reply(exchange, .invalidRequest, "too many combining marks in a row")
        return false
    }

    private func endpointRequest(_ exchange: Exchange, _ bytes: Span<UInt8>) -> EndpointRequest {
        func text(_ range: ByteRange) -> String { String(copying: bytes.slice(range)) }
        let path = exchange.path
        var query: [UInt8] = []
        if let range = exchange.head.query { query = [UInt8](copying: bytes.slice(range)) }
        var authorization: [String] = []
        var fields: [(name: String, value: String)] = []
        for i in 0..<requestHeaders.count {
            if requestHeaders[i].token == .authorization {
                authorization.append(text(requestHeaders[i].value))
            } else {
                fields.append((name: text(requestHeaders[i].name).lowercased(), value: text(requestHeaders[i].value)))
            }
        }
        var request = EndpointRequest(
            method: exchange.head.method, path: String(copying: path.readable), query: query,
            contentType: requestHeaders.value(.contentType).map(text), authorization: authorization,
            body: exchange.collected, secure: exchange.isSecure, principal: exchange.principal,
            address: exchange.address, requestID: exchange.requestIDText, fields: fields)
        request.authority = text(exchange.head.authority)
        return request
    }
}

extension Exchange {
    /// `requestID` for logs.
    var requestIDText: String {
        let id = requestID
        return String(copying: id.readable)
    }

    /// Longest body that an endpoint takes, or that is kept for a route.
    fileprivate var maximumCollected: Int {
        if let adminResource { return adminResource.maximumBodyBytes }
        if let endpoint { return endpoint.ofTokenService.maximumBodyBytes }
        return route?.challengeRule?.maximumKeptBody ?? TokenService.maximumBodyBytes
    }
}

extension Endpoint {
    /// Whether it answers with a page, or to a form: not to those who show a token.
    fileprivate func isForBrowsers(_ headers: HeaderTable) -> Bool {
        switch self {
        case .browserLogin, .singleSignOnPages: true
        case .mobileLogout, .singleSignOn: headers.occurrences(.authorization) == 0
        default: false
        }
    }

    /// The same endpoint as the token service calls it.
    fileprivate var ofTokenService: TokenService.Endpoint {
        switch self {
        case .token: .token
        case .exchange: .exchange
        case .revocation: .revocation
        case .introspection: .introspection
        case .jwks: .jwks
        case .metadata: .metadata
        case .whoAmI: .whoAmI
        case .applicationToken: .applicationToken
        case .applicationRevocation: .applicationRevocation
        case .applicationRevocationOfAll: .applicationRevocationOfAll
        case .applicationUsers: .applicationUsers
        case .mobileSocial: .mobileSocial
        case .mobileLogout: .mobileLogout
        case .browserLogin: .browserLogin
        case .providerCallback: .providerCallback
        case .providerLogout: .providerLogout
        case .providerMetadata: .providerMetadata
        case .applicationLogin: .applicationLogin
        case .userProfile: .userProfile
        case .singleSignOn: .singleSignOn
        case .singleSignOnRedirect: .singleSignOnRedirect
        case .singleSignOnPages: .singleSignOnPages
        }
    }
}
