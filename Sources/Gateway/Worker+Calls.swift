import Bytes
import Crypto
import HTTP
import Identity
import Reactor

/// Calls to other servers: name, connection, TLS, request, response, each with its time-out. What went well leaves the
/// connection behind for the next call to the same place.
extension Worker {
    /// Milliseconds that a connection is kept for; servers commonly keep theirs for 5 seconds and more.
    private static let callIdleTime: Int64 = 15_000
    private static let maximumIdleCalls = 16
    /// The least time that one of several addresses is given.
    private static let leastAttempt: Int64 = 250

    /// Makes a call; its end is told to `OutboundCalls.finish`.
    func perform(_ pending: PendingCall) {
        let call = pending.call
        guard let request = CallRequest(call, keepsAlive: call.mayRepeat) else {
            shared.outbound.finish(pending, .failed(.malformed))
            return
        }
        let place = CallConnection.Place(call)
        guard call.delayMilliseconds <= 0 else {
            let connection = vacantCall()
            connection.pending = pending
            connection.request = request
            connection.place = place
            connection.tls = call.tls
            connection.phase = .delayed
            setDeadline(connection, in: call.delayMilliseconds)
            return
        }
        if call.mayRepeat, let idle = calls.first(where: { $0.phase == .idle && $0.place == place }) {
            idle.pending = pending
            idle.request = request
            idle.isReused = true
            sendRequest(idle)
            return
        }
        let connection = vacantCall()
        connection.pending = pending
        connection.request = request
        connection.place = place
        connection.tls = call.tls
        resolve(connection, pending)
    }

    private func vacantCall() -> CallConnection {
        if let vacant = calls.first(where: { $0.phase == .vacant }) { return vacant }
        let connection = CallConnection(index: calls.count)
        var table = calls
        calls = []
        table.append(connection)
        calls = table
        return connection
    }

    // MARK: Connection

    private func resolve(_ connection: CallConnection, _ pending: PendingCall) {
        connection.phase = .resolving
        connection.connectBy = poller.now + pending.call.connectTimeoutMilliseconds
        setDeadline(connection, at: connection.connectBy)
        // An address needs nobody to look it up.
        if let address = SocketAddress(literal: pending.call.url.host, port: pending.call.url.port),
            !pending.call.url.isSecure || pending.call.tls != nil
        {
            connection.addresses = [address]
            tryNextAddress(connection)
            return
        }
        let (mailbox, identity) = (mailbox, connection.identity)
        let accepted = shared.outbound.resolve(pending.call.url) { answer in
            mailbox.post(.callResolved(call: identity, answer))
        }
        if !accepted { end(connection, .failed(.unavailable)) }
    }

    func callResolved(_ identity: UInt64, _ answer: NameResolver.Answer) {
        let connection = calls[Int(identity & 0xffff_ffff)]
        guard connection.identity == identity, connection.phase == .resolving else { return }
        guard case .addresses(let addresses) = answer else {
            end(connection, .failed(.resolve))
            return
        }
        connection.addresses = addresses
        tryNextAddress(connection)
    }

    /// Gives the next address its share of the time that is left.
    private func tryNextAddress(_ connection: CallConnection) {
        guard let call = connection.pending?.call else { return }
        connection.phase = .connecting
        while !connection.addresses.isEmpty {
            let share = (connection.connectBy - poller.now) / Int64(connection.addresses.count)
            let address = connection.addresses.removeFirst()
            guard let socket = openSocket(to: address, call) else { continue }
            connection.socket = socket
            connection.isConnected = false
            socket.role = Role.call
            socket.owner = connection.index
            let attemptEnd = poller.now + max(share, Worker.leastAttempt)
            setDeadline(connection, at: min(connection.connectBy, attemptEnd))
            return
        }
        end(connection, .failed(.connect))
    }

    private func openSocket(to address: SocketAddress, _ call: OutboundCall) -> Socket? {
        guard call.url.isSecure else { return try? poller.connect(to: address) }
        guard let context = call.tls ?? shared.outbound.standardTLS,
            let session = context.makeSession(serverName: call.url.host)
        else { return nil }
        return try? poller.connect(to: address, filter: TLSFilter(session))
    }

    func callConnected(_ connection: CallConnection) {
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
        setDeadline(connection, in: pending.call.readTimeoutMilliseconds)
        let chunk = poller.chunks.take()
        chunk.ensureFree(request.bytes.count)
        chunk.append(request.bytes)
        poller.send(socket, chunk)
    }

    // MARK: Response

    func callReceived(_ connection: CallConnection) {
        guard connection.phase == .awaitingResponse else {
            // Nothing was asked, so that this is the answer to nothing.
            callBroke(connection)
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

    func callEnded(_ connection: CallConnection) {
        guard connection.phase == .awaitingResponse, connection.response.hasBegun, let socket = connection.socket else {
            callBroke(connection)
            return
        }
        let scratch = poller.chunks.take()
        var response = connection.response
        let progress = response.end(isClean: socket.endedCleanly, scratch: scratch)
        connection.response = response
        poller.chunks.give(scratch)
        settle(connection, progress)
    }

    /// The connection is of no use any more.
    func callBroke(_ connection: CallConnection) {
        switch connection.phase {
        case .vacant, .delayed, .resolving: break
        case .idle: end(connection, nil)
        case .connecting:
            if connection.isConnected {
                end(connection, .failed(.tls))
            } else {
                closeSocket(connection)
                tryNextAddress(connection)
            }
        case .awaitingResponse:
            // The server ended a connection that was idle, in the moment in which it was used again.
            if connection.isReused, !connection.response.hasBegun, let pending = connection.pending {
                closeSocket(connection)
                connection.isReused = false
                resolve(connection, pending)
            } else {
                end(connection, .failed(.malformed))
            }
        }
    }

    func callTimer(_ connection: CallConnection) {
        guard hasCome(connection) else { return }
        switch connection.phase {
        case .vacant: break
        case .idle: end(connection, nil)
        case .delayed: if let pending = connection.pending { resolve(connection, pending) }
        case .connecting where poller.now < connection.connectBy && !connection.addresses.isEmpty:
            closeSocket(connection)
            tryNextAddress(connection)
        case .resolving, .connecting, .awaitingResponse: end(connection, .failed(.timeout))
        }
    }

    private func settle(_ connection: CallConnection, _ progress: CallResponse.Progress) {
        switch progress {
        case .needsMore: break
        case .failed(let failure): end(connection, .failed(failure))
        case .complete(let response, let isReusable):
            let pending = connection.pending
            let isSent = connection.socket?.pendingBytes == 0
            if isReusable, isSent, pending?.call.mayRepeat == true, hasRoomForIdleCall {
                keep(connection)
                if let pending { shared.outbound.finish(pending, .response(response)) }
            } else {
                end(connection, .response(response))
            }
        }
    }

    private var hasRoomForIdleCall: Bool {
        !isDraining && calls.count { $0.phase == .idle } < Worker.maximumIdleCalls
    }

    private func keep(_ connection: CallConnection) {
        connection.phase = .idle
        connection.pending = nil
        connection.request = nil
        connection.response = CallResponse(to: .get, maximumBytes: 0)
        setDeadline(connection, in: Worker.callIdleTime)
        if let socket = connection.socket { poller.readMore(socket) }
    }

    private func closeSocket(_ connection: CallConnection) {
        if let socket = connection.socket { poller.close(socket) }
        connection.socket = nil
    }

    /// Closes the connection and says what became of its call.
    private func end(_ connection: CallConnection, _ result: OutboundResult?) {
        let pending = connection.pending
        closeSocket(connection)
        connection.reset()
        if let pending, let result { shared.outbound.finish(pending, result) }
    }

    /// Answers a call that came too late.
    func refuse(_ pending: PendingCall) { shared.outbound.finish(pending, .failed(.unavailable)) }

    /// The worker ends, and with it what is under way.
    func cancelCalls() {
        shared.outbound.leave(number)
        for connection in calls where connection.phase != .vacant { end(connection, .failed(.unavailable)) }
    }
}
