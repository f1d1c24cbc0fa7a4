import Bytes
import HTTP
import Model
import Policy
import Reactor

/// Answers of MCP servers whose lists are shown in part.
extension ResponseRelay {
    private static let json = Array("application/json".utf8)

    /// Begins an answer that has lists, whose head is at the front of `buffer`. False for others, which are passed on as they
    /// are.
    func beginFiltered(
        _ upstream: UpstreamConnection, _ exchange: Exchange, head: ResponseHead, buffer: Chunk
    ) -> Bool {
        guard let record = exchange.response.message, let rules = exchange.route?.messages, head.framing != .none,
            head.status < 300, MessageFilter.kinds(in: record.message) != nil
        else { return false }
        let bytes = buffer.readable
        let isStream = hasType(ResponseRelay.eventStream, bytes)
        // What has no message is no answer to one.
        if record.message == nil, !isStream { return false }
        let path = exchange.path
        guard isStream || hasType(ResponseRelay.json, bytes), !responseHeaders.hasContentCoding(bytes),
            let filter = MessageFilter(
                rules, to: record.message, for: exchange.principal, path: path.readable,
                form: isStream ? .events : .document)
        else {
            exchange.response.hasBegun = false
            upstreamClient.fail(exchange, .invalidResponse)
            return true
        }
        record.filter = filter
        upstream.phase = .filteringBody
        upstream.body = BodyRelay(upstream.stream == nil ? head.framing : .untilClose, to: .raw)
        var changed = head
        (changed.framing, changed.declaredLength) = (.untilClose, nil)
        record.framing = BodyRelay(.untilClose, to: responder.bodyTarget(changed, exchange))
        let chunk = poller.chunks.take()
        chunk.ensureFree(head.length + 1024)
        responder.writeHead(changed, exchange, bytes, to: chunk)
        buffer.consume(head.length)
        if isStream, let target = exchange.clientSide {
            transport.sendHead(chunk, ended: false, of: exchange, to: target)
        } else {
            record.head = [UInt8](copying: chunk.readable)
            exchange.response.hasBegun = false
            poller.chunks.give(chunk)
        }
        relayFiltered(upstream, exchange)
        return true
    }

    /// Relays what has come of the answer, and ends the exchange with its end.
    func relayFiltered(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        guard let source = upstream.side, let target = exchange.clientSide else { return }
        relay: while let inbox = source.inbox, !inbox.isEmpty, !upstream.body.isComplete {
            if target.pendingBytes > transport.highWater {
                return pauseResponse(upstream, exchange, source, until: target)
            }
            let output = poller.chunks.take()
            defer { poller.chunks.give(output) }
            var body = upstream.body
            guard let used = try? body.relay(inbox.readable, into: output) else {
                return upstreamClient.fail(exchange, .invalidResponse)
            }
            upstream.body = body
            transport.consume(used, of: inbox, from: source)
            guard pass(output.readable, of: exchange, to: target) else {
                return upstreamClient.fail(exchange, .invalidResponse)
            }
            if used == 0 { break relay }
        }
        if source.isExhausted, !upstream.body.isComplete {
            endedFiltered(upstream, exchange)
        } else if upstream.body.isComplete {
            finishFiltered(upstream, exchange, to: target)
        } else {
            poller.setDeadline(
                upstream, in: exchange.longLivedIndex < 0 ? exchange.answerTimeout : exchange.silenceTimeout)
            transport.readMore(source)
        }
    }

    /// The upstream ended its side.
    func endedFiltered(_ upstream: UpstreamConnection, _ exchange: Exchange) {
        let rest = poller.chunks.take()
        defer { poller.chunks.give(rest) }
        var body = upstream.body
        var isComplete = transport.end(&body, received: upstream.stream?.trailers, into: rest)
        if let socket = upstream.socket, !socket.endedCleanly { isComplete = false }
        upstream.body = body
        upstream.keepAlive = false
        guard isComplete, let target = exchange.clientSide else {
            return upstreamClient.fail(exchange, .connectionLost)
        }
        finishFiltered(upstream, exchange, to: target)
    }

    /// The answer is complete.
    private func finishFiltered(_ upstream: UpstreamConnection, _ exchange: Exchange, to target: Side) {
        guard let record = exchange.response.message, let rest = try? record.filter?.end() else {
            return upstreamClient.fail(exchange, .invalidResponse)
        }
        let chunk = poller.chunks.take()
        if !record.head.isEmpty {
            let head = poller.chunks.take()
            head.ensureFree(record.head.count)
            head.append(record.head)
            exchange.response.hasBegun = true
            transport.sendHead(head, ended: false, of: exchange, to: target)
        }
        send(rest, of: record, to: target)
        var framing = record.framing
        _ = framing.end(into: chunk)
        record.framing = framing
        transport.send(chunk, to: target)
        transport.endMessage(to: target, trailers: [])
        endResponse(upstream, exchange)
    }

    /// Sends what the filter passes. False if the answer cannot be read.
    private func pass(_ bytes: Span<UInt8>, of exchange: Exchange, to target: Side) -> Bool {
        guard let record = exchange.response.message, let shown = try? record.filter?.take(bytes) else { return false }
        send(shown, of: record, to: target)
        return true
    }

    private func send(_ bytes: [UInt8], of record: MessageRecord, to target: Side) {
        if bytes.isEmpty { return }
        let chunk = poller.chunks.take()
        chunk.ensureFree(bytes.count + 2 * BodyRelay.reserve)
        var framing = record.framing
        // Nothing of this framing is malformed.
        _ = try? framing.relay(bytes.span, into: chunk)
        record.framing = framing
        transport.send(chunk, to: target)
    }
}
