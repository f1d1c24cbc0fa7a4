import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Tunnels: the upstream's answer to an upgrade, and relaying afterwards.
///
/// An upgrade is decided like any request: origin, credential, roles, token. Then the upstream is asked. Without its
/// 101 the exchange is an ordinary one, and bytes after the request are the next request.
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

    /// The upstream answered 101; the head is in its inbox, the field lines in `responseHeaders`.
    func open(_ upstream: UpstreamConnection, _ exchange: Exchange, _ head: ResponseHead, _ inbox: Chunk) {
        // A 101 without a requested upgrade, or for another protocol, is invalid.
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
        // Bytes that the client sent after its request are waiting.
        if exchange.upstream === upstream { moveUp(upstream, exchange) }
    }

    /// Whether the client would mistake a response for an accepted tunnel: any 2xx accepts an extended CONNECT.
    func isMistaken(_ exchange: Exchange, _ head: ResponseHead) -> Bool {
        exchange.tunnel != nil && exchange.stream != nil && head.status < 300
    }

    private func writeSwitch(_ upgrade: Upgrade, _ exchange: Exchange, _ bytes: Span<UInt8>, to chunk: Chunk) {
        HeadWriter.appendStatusLine(exchange.response.status, to: chunk)
        let own = exchange.route?.responseFields
        guard exchange.stream != nil else {
            HeaderRewrite.appendResponseFields(
                responseHeaders, bytes, hasCookies: exchange.snapshot.hasBrowserCookies, own, to: chunk)
            if let own { HeaderRewrite.append(own, exchange, to: chunk) }
            HeaderRewrite.appendRequestID(exchange, to: chunk)
            upgrade.appendFields(to: chunk)
            chunk.append("\r\n")
            return
        }
        let options = ConnectionOptions(responseHeaders, bytes)
        for i in 0..<responseHeaders.count {
            let field = responseHeaders[i]
            guard HeaderRewrite.passesToClient(field, options, responseHeaders, bytes) else { continue }
            if Upgrade.isHandshake(field, bytes) || own?.drops(field, bytes) == true { continue }
            HeadWriter.appendField(bytes.slice(field.name), bytes.slice(field.value), to: chunk)
        }
        if let own { HeaderRewrite.append(own, exchange, to: chunk) }
        HeaderRewrite.appendRequestID(exchange, to: chunk)
        chunk.append("\r\n")
    }

    // MARK: Relaying

    /// Relays bytes from the upstream.
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

    /// Relays bytes from the client.
    func moveUp(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let source = exchange.clientSide, let target = upstream.side else { return }
        var body = exchange.requestBody
        while target.pendingBytes <= transport.highWater, let inbox = source.inbox, !inbox.isEmpty {
            _ = transport.moveBody(&body, from: source, inbox, to: target)
        }
        exchange.requestBody = body
        proceed(upstream, exchange, reading: source, into: target)
    }

    /// Continues reading if there is room, and passes on the end of a side. Any byte resets the idle timeout.
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

    /// Shuts down one side after everything from the other, ended side was passed on; ends the tunnel when both have
    /// ended.
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
                // Ending our side of a stream ends reading it too (RFC 9113 section 8.1).
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

    /// Both sides have ended.
    private func endTunnel(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if let side = exchange.clientSide { transport.endMessage(to: side, trailers: []) }
        connections.drop(exchange)
        frontend.finish(exchange)
    }

    /// The upstream's connection broke. If the upstream had ended before, the untaken bytes are the client's after that
    /// end, which is not a failure.
    func failed(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        if exchange.tunnel?.upstreamIsDone == true {
            endTunnel(upstream, exchange)
        } else {
            upstreamClient.fail(exchange, .connectionLost)
        }
    }

    /// Sends a WebSocket close frame with the reason to the client, and closes. False in the middle of another frame.
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

    /// Ends a long-lived exchange.
    func cut(_ exchange: Exchange, _ reason: CutReason) {
        let told = reason.reason(isTunnel: exchange.tunnel != nil)
        if exchange.stage == .tunnelling, close(exchange, saying: told, closeCode: reason.closeCode) { return }
        frontend.abandon(exchange, reason: told, reset: false)
    }
}

extension CutReason {
    /// The status code of a close frame (RFC 6455 section 7.4.1): policy violation, or going away.
    var closeCode: UInt16 {
        switch self {
        case .expired, .revoked, .refused: 1008
        case .idle, .drained: 1001
        }
    }
}
