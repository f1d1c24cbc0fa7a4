import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Upgrades: the request for one, the upstream's answer, and the tunnel that comes of it.
///
/// An upgrade is decided like every other request: origin, credential, roles, token. Only then the upstream is asked.
/// Without its 101 the exchange is one like any other, and what the client has sent behind its request is the next.
extension Worker {
    // MARK: Asking

    /// An extended CONNECT (RFC 8441) has come: it is decided as the GET that it stands for. Answers false where it was
    /// refused.
    func beginExtendedConnect(_ exchange: Exchange, _ name: ByteRange) -> Bool {
        guard let buffer = headBuffer(exchange) else { return false }
        let bytes = buffer.readable
        let webSocket = Upgrade.webSocket
        guard bytesEqualIgnoringCase(bytes.slice(name), webSocket.span) else {
            makeRequestID(exchange)
            refuseUpgrade(exchange)
            return false
        }
        // RFC 9113 section 8.5: there is no body, only what is tunnelled.
        guard requestHeaders.occurrences(.contentLength) == 0, exchange.head.framing == .untilClose else {
            makeRequestID(exchange)
            reply(exchange, status: 400, reason: .malformedBody, detail: "CONNECT has no body")
            return false
        }
        exchange.head.method = .get
        exchange.head.framing = .none
        exchange.head.upgrade = true
        exchange.requestBody = .empty
        return true
    }

    /// Has the upgrade that the request asks for asked of the upstream. Answers false where the exchange is answered
    /// instead.
    func prepareUpgrade(_ exchange: Exchange, _ route: Route, _ bytes: Span<UInt8>) -> Bool {
        guard exchange.stream != nil else {
            exchange.tunnel = Upgrade(exchange.head, requestHeaders, bytes, route).map { Tunnel($0) }
            return true
        }
        guard let upgrade = Upgrade(extendedConnectTo: route) else {
            refuseUpgrade(exchange)
            return false
        }
        exchange.tunnel = Tunnel(upgrade)
        return true
    }

    /// The protocol is none that could be spoken here (RFC 9220 section 3).
    func refuseUpgrade(_ exchange: Exchange) {
        reply(exchange, status: 501, reason: .upgradeRefused, detail: "the protocol is not supported here")
    }

    // MARK: Opening

    /// The upstream has answered 101; the head stands in its inbox, the field lines in `responseHeaders`.
    func switchProtocols(_ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ inbox: Chunk) {
        // A 101 that nobody has asked for, or that answers something else, is no answer.
        guard let tunnel = exchange.tunnel, let target = exchange.clientSide,
            tunnel.upgrade.isAgreed(by: responseHeaders, inbox.readable)
        else {
            fail(exchange, .invalidResponse)
            return
        }
        exchange.stage = .tunnelling
        exchange.status = exchange.stream == nil ? 101 : 200
        exchange.responseBegun = true
        exchange.answeredAt = Clock.monotonicMicroseconds
        exchange.requestBody = BodyRelay(.untilClose, to: .raw)
        upstream.body = BodyRelay(.untilClose, to: .raw)
        upstream.phase = .tunnelling
        upstream.keepAlive = false
        if tunnel.upgrade.isWebSocket { tunnel.frames = WebSocketFrames() }
        metrics.tunnelsOpened &+= 1
        endConnection(after: exchange)
        clearClientDeadline(exchange)
        watch(exchange)
        let chunk = poller.chunks.take()
        chunk.ensureFree(head.length * 2 + 1024)
        writeSwitch(tunnel.upgrade, exchange, inbox.readable, to: chunk)
        inbox.consume(head.length)
        sendHead(chunk, ended: false, of: exchange, to: target)
        moveDown(upstream, exchange)
        // What the client has sent behind its request waits for this.
        if exchange.upstream === upstream { moveUp(upstream, exchange) }
    }

    /// Whether the client would take a response for a tunnel that is none: an extended CONNECT succeeds by a 2xx.
    func mistakesTunnel(_ exchange: Exchange, _ head: ResponseHead) -> Bool {
        exchange.tunnel != nil && exchange.stream != nil && head.status < 300
    }

    private func writeSwitch(_ upgrade: Upgrade, _ exchange: Exchange, _ bytes: Span<UInt8>, to chunk: Chunk) {
        HeadWriter.appendStatusLine(exchange.status, to: chunk)
        guard exchange.stream != nil else {
            HeaderRewrite.appendResponseFields(
                responseHeaders, bytes, hasCookies: exchange.snapshot.hasBrowserCookies, to: chunk)
            upgrade.appendFields(to: chunk)
            chunk.append("\r\n")
            return
        }
        let options = ConnectionOptions(responseHeaders, bytes)
        for i in 0..<responseHeaders.count {
            let field = responseHeaders[i]
            guard HeaderRewrite.passesToClient(field, options, responseHeaders, bytes) else { continue }
            if Upgrade.isHandshake(field, bytes) { continue }
            HeadWriter.appendField(bytes.slice(field.name), bytes.slice(field.value), to: chunk)
        }
        chunk.append("\r\n")
    }

    // MARK: Moving

    /// Moves what has come from the upstream.
    func moveDown(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let source = upstream.side, let target = exchange.clientSide, let tunnel = exchange.tunnel else { return }
        var body = upstream.body
        var frames = tunnel.frames
        while target.pendingBytes <= highWater, let inbox = source.inbox, !inbox.isEmpty {
            frames?.advance(inbox.readable)
            _ = moveBody(&body, from: source, inbox, to: target)
        }
        tunnel.frames = frames
        upstream.body = body
        if target.pendingBytes > highWater { awaitClient(exchange) }
        proceed(upstream, exchange, reading: source, into: target)
    }

    /// Moves what has come from the client.
    func moveUp(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let source = exchange.clientSide, let target = upstream.side else { return }
        var body = exchange.requestBody
        while target.pendingBytes <= highWater, let inbox = source.inbox, !inbox.isEmpty {
            _ = moveBody(&body, from: source, inbox, to: target)
        }
        exchange.requestBody = body
        proceed(upstream, exchange, reading: source, into: target)
    }

    /// Reads on where there is room, and passes on the end of a side that has ended. Any byte keeps the tunnel alive.
    private func proceed(
        _ upstream: UpstreamConnection, _ exchange: Exchange, reading source: Side, into target: Side
    ) {
        if target.pendingBytes > highWater {
            pauseReading(source, until: target)
        } else {
            resumeReading(source)
            readMore(source)
        }
        passEnds(upstream, exchange)
        if exchange.upstream === upstream { setDeadline(upstream, in: silence(exchange)) }
    }

    // MARK: Ends

    /// Shuts one side down where the other has ended and all of it was passed on; ends the tunnel when both have.
    private func passEnds(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let tunnel = exchange.tunnel, let client = exchange.clientSide, let socket = upstream.socket else {
            return
        }
        if !tunnel.clientIsDone, hasEnded(client), socket.pendingBytes == 0 {
            tunnel.clientIsDone = true
            poller.shutdownSending(socket)
        }
        if !tunnel.upstreamIsDone, socket.ended, socket.unread == 0 {
            switch client {
            case .stream:
                // The end of our side ends a stream: it is no longer read (RFC 9113 section 8.1).
                endTunnel(upstream, exchange)
                return
            case .socket(let clientSocket) where clientSocket.pendingBytes == 0:
                tunnel.upstreamIsDone = true
                poller.shutdownSending(clientSocket)
            case .socket: break
            }
        }
        if tunnel.clientIsDone, tunnel.upstreamIsDone { endTunnel(upstream, exchange) }
    }

    private func hasEnded(_ client: Side) -> Bool {
        switch client {
        case .socket(let socket): socket.ended && socket.unread == 0
        case .stream: client.isExhausted
        }
    }

    /// Everything was said that is to be said.
    private func endTunnel(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if let side = exchange.clientSide { endMessage(to: side, trailers: []) }
        dropUpstream(exchange)
        finish(exchange)
    }

    /// The upstream's connection is broken. Where the upstream had ended before, what it does not take any more is the
    /// client's last words after the end.
    func tunnelBroke(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if exchange.tunnel?.upstreamIsDone == true {
            endTunnel(upstream, exchange)
        } else {
            fail(exchange, .connectionLost)
        }
    }

    /// Says to the client of a WebSocket why it ends, and closes. Answers false where a frame is in the way.
    func leave(_ exchange: Exchange, saying reason: Reason, closeCode: UInt16) -> Bool {
        guard let tunnel = exchange.tunnel, tunnel.frames?.takesFrame == true, !tunnel.upstreamIsDone,
            let side = exchange.clientSide, let upstream = exchange.upstream
        else { return false }
        let frame = poller.chunks.take()
        WebSocketFrames.appendClose(closeCode, reason: reason.code, to: frame)
        send(frame, to: side)
        exchange.reason = reason
        reasonCounters.increment(reason.index)
        endTunnel(upstream, exchange)
        return true
    }
}

extension CutReason {
    /// The status of a close frame (RFC 6455 section 7.4.1): policy violation, or going away.
    var closeCode: UInt16 {
        switch self {
        case .expired, .revoked, .refused: 1008
        case .idle, .drained: 1001
        }
    }
}
