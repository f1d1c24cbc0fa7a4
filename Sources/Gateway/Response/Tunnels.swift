import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Tunnels: the upstream's answer to an upgrade, and what goes both ways after it.
///
/// An upgrade is decided like every other request: origin, credential, roles, token. Only then the upstream is asked.
/// Without its 101 the exchange is one like any other, and what the client has sent behind its request is the next.
final class Tunnels: LoopPart {
    let exchanges: ExchangeTable
    let frontend: ClientFrontend
    private let connections: UpstreamConnections
    let upstreamClient: UpstreamClient

    init(
        _ context: LoopContext, _ exchanges: ExchangeTable, _ frontend: ClientFrontend,
        _ upstreamClient: UpstreamClient
    ) {
        self.exchanges = exchanges
        self.frontend = frontend
        self.upstreamClient = upstreamClient
        connections = upstreamClient.connections
        super.init(context)
    }
    // MARK: Opening

    /// The upstream has answered 101; the head stands in its inbox, the field lines in `responseHeaders`.
    func open(_ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ inbox: Chunk) {
        // A 101 without an upgrade in the request, or for another protocol, is no valid response.
        guard let tunnel = exchange.tunnel, let target = exchange.clientSide,
            tunnel.upgrade.isAgreed(by: responseHeaders, inbox.readable)
        else {
            upstreamClient.fail(exchange, .invalidResponse)
            return
        }
        exchange.enter(.tunnelling)
        exchange.response.status = exchange.stream == nil ? 101 : 200
        exchange.response.hasBegun = true
        exchange.times.answeredAt = Clock.monotonicMicroseconds
        exchange.requestBody = BodyRelay(.untilClose, to: .raw)
        upstream.body = BodyRelay(.untilClose, to: .raw)
        upstream.phase = .tunnelling
        upstream.keepAlive = false
        if tunnel.upgrade.isWebSocket { tunnel.frames = WebSocketFrames() }
        counters.metrics.tunnelsOpened &+= 1
        exchange.endConnection()
        exchanges.clearClientDeadline(exchange)
        exchanges.watch(exchange)
        let chunk = poller.chunks.take()
        chunk.ensureFree(head.length * 2 + 1024)
        writeSwitch(tunnel.upgrade, exchange, inbox.readable, to: chunk)
        inbox.consume(head.length)
        transport.sendHead(chunk, ended: false, of: exchange, to: target)
        moveDown(upstream, exchange)
        // What the client has sent behind its request waits for this.
        if exchange.upstream === upstream { moveUp(upstream, exchange) }
    }

    /// Whether the client would take a response for a tunnel that is none: an extended CONNECT succeeds by a 2xx.
    func isMistaken(_ exchange: Exchange, _ head: ResponseHead) -> Bool {
        exchange.tunnel != nil && exchange.stream != nil && head.status < 300
    }

    private func writeSwitch(_ upgrade: Upgrade, _ exchange: Exchange, _ bytes: Span<UInt8>, to chunk: Chunk) {
        HeadWriter.appendStatusLine(exchange.response.status, to: chunk)
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
        while target.pendingBytes <= transport.highWater, let inbox = source.inbox, !inbox.isEmpty {
            frames?.advance(inbox.readable)
            _ = transport.moveBody(&body, from: source, inbox, to: target)
        }
        tunnel.frames = frames
        upstream.body = body
        if target.pendingBytes > transport.highWater { exchanges.awaitClient(exchange) }
        proceed(upstream, exchange, reading: source, into: target)
    }

    /// Moves what has come from the client.
    func moveUp(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let source = exchange.clientSide, let target = upstream.side else { return }
        var body = exchange.requestBody
        while target.pendingBytes <= transport.highWater, let inbox = source.inbox, !inbox.isEmpty {
            _ = transport.moveBody(&body, from: source, inbox, to: target)
        }
        exchange.requestBody = body
        proceed(upstream, exchange, reading: source, into: target)
    }

    /// Reads on where there is room, and passes on the end of a side that has ended. Any byte keeps the tunnel alive.
    private func proceed(
        _ upstream: UpstreamConnection, _ exchange: Exchange, reading source: Side, into target: Side
    ) {
        if target.pendingBytes > transport.highWater {
            transport.pauseReading(source, until: target)
        } else {
            transport.resumeReading(source)
            transport.readMore(source)
        }
        passEnds(upstream, exchange)
        if exchange.upstream === upstream { poller.setDeadline(upstream, in: exchange.silenceTimeout) }
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
        if let side = exchange.clientSide { transport.endMessage(to: side, trailers: []) }
        connections.drop(exchange)
        frontend.finish(exchange)
    }

    /// The upstream's connection is broken. Where the upstream had ended before, what it does not take any more is the
    /// client's last words after the end.
    func failed(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if exchange.tunnel?.upstreamIsDone == true {
            endTunnel(upstream, exchange)
        } else {
            upstreamClient.fail(exchange, .connectionLost)
        }
    }

    /// Says to the client of a WebSocket why it ends, and closes. Answers false where a frame is in the way.
    func close(_ exchange: Exchange, saying reason: Reason, closeCode: UInt16) -> Bool {
        guard let tunnel = exchange.tunnel, tunnel.frames?.takesFrame == true, !tunnel.upstreamIsDone,
            let side = exchange.clientSide, let upstream = exchange.upstream
        else { return false }
        let frame = poller.chunks.take()
        WebSocketFrames.appendClose(closeCode, reason: reason.code, to: frame)
        transport.send(frame, to: side)
        exchange.response.reason = reason
        counters.count(reason)
        endTunnel(upstream, exchange)
        return true
    }

    /// Ends an exchange that lasts.
    func cut(_ exchange: Exchange, _ reason: CutReason) {
        let told = reason.reason(isTunnel: exchange.tunnel != nil)
        if exchange.stage == .tunnelling, close(exchange, saying: told, closeCode: reason.closeCode) { return }
        frontend.abandon(exchange, reason: told, reset: false)
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
