import Bytes
import Crypto
import HTTP
import Model
import Outbound
import Reactor

/// A worker's calls to other servers: resolution, connection, TLS, request, response, each with its timeout. After a
/// good response the connection is kept for the next call to the same target.
final class OutboundClient: LoopPart {
    /// Milliseconds that a connection is kept; servers commonly keep theirs for at least 5 seconds.
    private static let idleTime: Int64 = 15_000
    private static let maximumIdle = 16
    /// Minimum time for each of several addresses.
    private static let leastAttempt: Int64 = 250

    private var outbound: OutboundCalls { shared.outbound }
    let connections = Slab<CallConnection>()

    /// Makes a call and reports the result to `OutboundCalls.finish`.
    func perform(_ pending: PendingCall) {
        let call = pending.call
        guard let request = CallRequest(call, keepsAlive: call.mayRepeat) else {
            let problem = ConnectionFailure(call.url, .request, "the call has a field that cannot be sent")
            outbound.finish(pending, .failed(.malformed, details: problem))
            return
        }
        let place = CallConnection.Place(call)
        guard call.delayMilliseconds <= 0 else {
            let connection = takeConnection(pending, request, place)
            connection.phase = .delayed
            poller.setDeadline(connection, in: call.delayMilliseconds)
            return
        }
        if call.mayRepeat, let idle = connections.all.first(where: { $0.phase == .idle && $0.place == place }) {
            idle.pending = pending
            idle.request = request
            idle.isReused = true
            sendRequest(idle)
            return
        }
        resolve(takeConnection(pending, request, place), pending)
    }

    private func takeConnection(_ pending: PendingCall, _ request: CallRequest, _ place: CallConnection.Place)
        -> CallConnection
    {
        let connection = connections.take { CallConnection(index: $0) }
        connection.pending = pending
        connection.request = request
        connection.place = place
        connection.tls = pending.call.tls
        return connection
    }

    // MARK: Connection

    private func resolve(_ connection: CallConnection, _ pending: PendingCall) {
        connection.phase = .resolving
        connection.connectBy = poller.now + pending.call.connectTimeoutMilliseconds
        poller.setDeadline(connection, at: connection.connectBy)
        // A literal address needs no resolver.
        if let address = SocketAddress(literal: pending.call.url.host, port: pending.call.url.port),
            !pending.call.url.isSecure || pending.call.tls != nil
        {
            connection.addresses = [address]
            tryNextAddress(connection)
            return
        }
        let (mailbox, identity) = (context.mailbox, connection.identity)
        let accepted = outbound.resolve(pending.call.url) { answer in
            mailbox.post(.callResolved(call: identity, answer))
        }
        if !accepted { fail(connection, .unavailable, .resolve, "too many names wait for the resolver") }
    }

    func resolved(_ identity: UInt64, _ answer: NameResolver.Answer) {
        let connection = connections[Int(identity & 0xffff_ffff)]
        guard connection.identity == identity, connection.phase == .resolving else { return }
        guard case .addresses(let addresses) = answer else {
            return fail(connection, .resolve, .resolve, answer.problem ?? "")
        }
        connection.addresses = addresses
        tryNextAddress(connection)
    }

    /// Tries the next address with its share of the remaining time.
    private func tryNextAddress(_ connection: CallConnection) {
        guard let call = connection.pending?.call else { return }
        connection.phase = .connecting
        while !connection.addresses.isEmpty {
            let share = (connection.connectBy - poller.now) / Int64(connection.addresses.count)
            let address = connection.addresses.removeFirst()
            connection.address = address
            guard call.mayConnect(to: address.ipAddress) else {
                connection.problem = "the address is not public"
                continue
            }
            let socket: Socket
            do throws(KernelError) {
                socket = try openSocket(to: address, call)
            } catch {
                connection.problem = error.text
                continue
            }
            connection.socket = socket
            connection.isConnected = false
            socket.role = LoopRole.call
            socket.owner = connection.index
            let attemptEnd = poller.now + max(share, OutboundClient.leastAttempt)
            poller.setDeadline(connection, at: min(connection.connectBy, attemptEnd))
            return
        }
        fail(connection, .connect, .connect, connection.problem)
    }

    private func openSocket(to address: SocketAddress, _ call: OutboundCall) throws(KernelError) -> Socket {
        guard call.url.isSecure else { return try poller.connect(to: address, tls: nil, serverName: "") }
        // The library makes no context without memory.
        guard let context = call.tls ?? outbound.standardTLS else { throw KernelError.outOfMemory }
        return try poller.connect(to: address, tls: context, serverName: call.url.host)
    }

    func connected(_ connection: CallConnection) {
        guard let socket = connection.socket, connection.phase == .connecting else { return }
        connection.isConnected = true
        if socket.filter != nil, !socket.isSecured { return }
        connection.isReused = false
        sendRequest(connection)
    }

    private func sendRequest(_ connection: CallConnection) {
        guard let socket = connection.socket, let pending = connection.pending, let request = connection.request else {
            return
        }
        connection.phase = .awaitingResponse
        connection.response = CallResponse(to: request.method, maximumBytes: pending.call.maximumBytes)
        poller.setDeadline(connection, in: pending.call.readTimeoutMilliseconds)
        let chunk = poller.chunks.take()
        chunk.ensureFree(request.bytes.count)
        chunk.append(request.bytes)
        poller.send(socket, chunk)
    }

    // MARK: Response

    func received(_ connection: CallConnection) {
        guard connection.phase == .awaitingResponse else {
            // No request is pending, so these bytes answer nothing.
            failed(connection)
            return
        }
        guard let socket = connection.socket, let inbox = socket.inbox else { return }
        let scratch = poller.chunks.take()
        var response = connection.response
        let progress = response.take(inbox, table: responseHeaders, scratch: scratch)
        connection.response = response
        poller.chunks.give(scratch)
        guard case .needsMore = progress else {
            settle(connection, progress)
            return
        }
        if inbox.free == 0 { poller.growInbox(socket, toHold: UpstreamConnection.headLimits.maximumHeadBytes) }
        poller.readMore(socket)
    }

    func ended(_ connection: CallConnection) {
        guard connection.phase == .awaitingResponse, connection.response.hasBegun, let socket = connection.socket else {
            failed(connection)
            return
        }
        let scratch = poller.chunks.take()
        var response = connection.response
        let progress = response.end(isClean: socket.endedCleanly, scratch: scratch)
        connection.response = response
        poller.chunks.give(scratch)
        settle(connection, progress)
    }

    func failed(_ connection: CallConnection) {
        switch connection.phase {
        case .vacant, .delayed, .resolving: break
        case .idle: end(connection, nil)
        case .connecting:
            let problem = connection.socket?.problem ?? ""
            if connection.isConnected {
                fail(connection, .tls, .tls, problem)
            } else {
                connection.problem = problem
                closeSocket(connection)
                tryNextAddress(connection)
            }
        case .awaitingResponse:
            // The server closed an idle connection just as it was reused.
            if connection.isReused, !connection.response.hasBegun, let pending = connection.pending {
                closeSocket(connection)
                connection.isReused = false
                resolve(connection, pending)
            } else {
                fail(connection, .malformed, .request, connection.socket?.problem ?? "")
            }
        }
    }

    func timerFired(_ connection: CallConnection) {
        guard poller.hasCome(connection) else { return }
        switch connection.phase {
        case .vacant: break
        case .idle: end(connection, nil)
        case .delayed: if let pending = connection.pending { resolve(connection, pending) }
        case .connecting where poller.now < connection.connectBy && !connection.addresses.isEmpty:
            connection.problem = "no connection in time"
            closeSocket(connection)
            tryNextAddress(connection)
        case .resolving: timedOut(connection, .resolve)
        case .connecting: timedOut(connection, connection.isConnected ? .tls : .connect)
        case .awaitingResponse: timedOut(connection, .request)
        }
    }

    private func timedOut(_ connection: CallConnection, _ step: ConnectionFailure.Step) {
        guard let call = connection.pending?.call else { return end(connection, nil) }
        let limit = step == .request ? call.readTimeoutMilliseconds : call.connectTimeoutMilliseconds
        fail(connection, .timeout, step, "\(step == .connect ? "no connection" : "no answer") in \(limit) ms")
    }

    private func settle(_ connection: CallConnection, _ progress: CallResponse.Progress) {
        switch progress {
        case .needsMore: break
        case .failed(let failure):
            let isLong = failure == .tooLarge
            fail(connection, failure, .request, "the answer is \(isLong ? "too long" : "no valid HTTP, or incomplete")")
        case .complete(let response, let isReusable):
            let pending = connection.pending
            if let call = pending?.call, response.status >= call.leastFailure {
                tell(connection, call, .request, "status \(response.status)")
            }
            let isSent = connection.socket?.pendingBytes == 0
            if isReusable, isSent, pending?.call.mayRepeat == true, mayKeepIdle {
                keep(connection)
                if let pending { outbound.finish(pending, .response(response)) }
            } else {
                end(connection, .response(response))
            }
        }
    }

    private var mayKeepIdle: Bool {
        !isDraining && connections.all.count { $0.phase == .idle } < OutboundClient.maximumIdle
    }

    private func keep(_ connection: CallConnection) {
        connection.phase = .idle
        connection.pending = nil
        connection.request = nil
        connection.response = CallResponse(to: .get, maximumBytes: 0)
        poller.setDeadline(connection, in: OutboundClient.idleTime)
        if let socket = connection.socket { poller.readMore(socket) }
    }

    private func closeSocket(_ connection: CallConnection) {
        if let socket = connection.socket { poller.close(socket) }
        connection.socket = nil
    }

    /// Tells of a failure, and ends the call with it.
    private func fail(
        _ connection: CallConnection, _ failure: OutboundFailure, _ step: ConnectionFailure.Step, _ reason: String
    ) {
        guard let call = connection.pending?.call else { return end(connection, nil) }
        end(connection, .failed(failure, details: tell(connection, call, step, reason)))
    }

    @discardableResult
    private func tell(
        _ connection: CallConnection, _ call: OutboundCall, _ step: ConnectionFailure.Step, _ reason: String
    ) -> ConnectionFailure {
        let told = ConnectionFailure(call.url, at: connection.address?.description, step, reason)
        shared.connectionFailures.note(told, .call, now: poller.now)
        return told
    }

    /// Closes the connection and reports the result of its call.
    private func end(_ connection: CallConnection, _ result: OutboundResult?) {
        let pending = connection.pending
        closeSocket(connection)
        connection.reset()
        connections.give(connection)
        if let pending, let result { outbound.finish(pending, result) }
    }

    /// Refuses a call that arrived too late.
    func refuse(_ pending: PendingCall) { outbound.finish(pending, .failed(.unavailable)) }

    /// Cancels all calls when the worker ends.
    func cancelAll() {
        outbound.remove(worker: context.number)
        for connection in connections.all where connection.phase != .vacant { end(connection, .failed(.unavailable)) }
    }
}
