import Bytes
import Crypto
import HTTP
import Model
import Reactor

/// Active health checks: each sends a request on its own connection, in the protocol of forwarded requests, and checks
/// the status.
final class HealthChecker: LoopPart {
    /// A finished check.
    struct Outcome {
        let server: UpstreamServer
        let group: UpstreamGroup
        /// Whether the server's availability changed.
        let hasChanged: Bool
    }

    let checks = Slab<HealthCheck>()
    private var outcomes: [Outcome] = []

    /// A check that finished since the last call; nil for none.
    func nextOutcome() -> Outcome? { outcomes.popLast() }

    // MARK: Check

    func check(_ server: UpstreamServer, of group: UpstreamGroup, _ settings: HealthCheckSettings) {
        let check = checks.take { HealthCheck(index: $0) }
        check.group = group
        check.server = server
        let socket: Socket
        do throws(KernelError) {
            socket = try server.openSocket(poller)
        } catch {
            return fail(check, error.text)
        }
        check.socket = socket
        socket.role = LoopRole.healthCheck
        socket.owner = check.index
        let token = TimerToken(role: LoopRole.healthCheck, owner: check.index, generation: check.generation)
        poller.schedule(token, at: poller.now + settings.timeout)
    }

    func connected(_ check: HealthCheck) {
        guard let socket = check.socket, let server = check.server, let settings = check.group?.settings.healthCheck
        else {
            conclude(check, isGood: false)
            return
        }
        if socket.filter != nil, !socket.isSecured { return }
        check.isAsked = true
        // Over TLS the server chose the protocol by ALPN; without TLS it is known to speak HTTP/2.
        if server.pool.settings.http2, socket.tls.map({ $0.negotiatedProtocol == .h2 }) ?? true {
            ask(check, by: socket, path: settings.path, authority: server.authority)
            return
        }
        let chunk = poller.chunks.take()
        HealthCheck.appendRequest(path: settings.path, authority: server.authority, to: chunk)
        poller.send(socket, chunk)
    }

    /// Sends the request in an HTTP/2 stream.
    private func ask(_ check: HealthCheck, by socket: Socket, path: [UInt8], authority: [UInt8]) {
        let session = H2Session(client: UpstreamSession.limits, chunks: poller.chunks, streams: context.streams)
        let (scheme, fields) = (socket.scheme, HealthCheck.fields)
        let stream = session.request(
            method: HealthChecker.get.span, scheme: scheme.span, authority: authority.span, path: path.span,
            fields: fields.span, ended: true)
        guard stream != nil else { return fail(check, HealthChecker.invalid) }
        let link = H2Link(session, socket)
        check.link = link
        transport.queue(link)
    }

    private static let get = Array("GET".utf8)

    /// Frames of an answer arrived.
    func framesReceived(_ check: HealthCheck, _ link: H2Link) {
        guard let socket = check.socket, let inbox = socket.inbox else { return }
        let isSound = link.session.receive(inbox.readable, now: poller.now)
        inbox.consume(inbox.count)
        while let event = link.session.nextEvent() {
            switch event {
            case .head(let stream):
                let outcome = stream.responseHead(
                    into: responseHeaders, limits: UpstreamConnection.headLimits, requestMethod: .get)
                if case .head(let head) = outcome {
                    answered(check, head.status)
                } else {
                    fail(check, HealthChecker.invalid)
                }
                return
            case .reset, .closed: return fail(check, "the stream was reset")
            case .interim, .body, .ended, .drained, .goAway: break
            }
        }
        transport.queue(link)
        if isSound { poller.readMore(socket) } else { fail(check, HealthChecker.invalid) }
    }

    /// Frames were sent.
    func flushed(_ check: HealthCheck, _ link: H2Link) {
        if link.session.isOver { fail(check) }
    }

    /// The answer's status arrived. Ignores it if a reload has removed the check.
    private func answered(_ check: HealthCheck, _ status: Int) {
        if check.group?.settings.healthCheck?.status.contains(status) ?? true {
            conclude(check, isGood: true)
        } else {
            fail(check, "status \(status)")
        }
    }

    func received(_ check: HealthCheck) {
        if let link = check.link {
            framesReceived(check, link)
            return
        }
        while let socket = check.socket, let inbox = socket.inbox, !inbox.isEmpty {
            var parser = check.parser
            let outcome = parser.parse(inbox.readable, into: responseHeaders, requestMethod: .get)
            check.parser = parser
            switch outcome {
            case .needMore:
                if inbox.free == 0 { poller.growInbox(socket, toHold: UpstreamConnection.headLimits.maximumHeadBytes) }
                poller.readMore(socket)
                return
            case .head(let head) where head.status < 200: inbox.consume(head.length)
            case .head(let head): answered(check, head.status)
            case .invalid: fail(check, HealthChecker.invalid)
            }
        }
    }

    /// A check timed out.
    func timerFired(_ token: TimerToken) {
        let check = checks[token.owner]
        guard check.generation == token.generation else { return }
        fail(check, "no answer in \(check.group?.settings.healthCheck?.timeout ?? 0) ms")
    }

    /// The connection ended, broke or could not be made.
    func failed(_ check: HealthCheck) { fail(check) }

    private static let invalid = "the answer is no valid HTTP"

    /// Tells of a bad outcome and concludes the check.
    ///
    /// - Parameter reason: nil for that of the connection.
    private func fail(_ check: HealthCheck, _ reason: String? = nil) {
        if let server = check.server, let group = check.group, !server.isRetired {
            let socket = check.socket
            let isOfTLS = socket?.tls.map { $0.failure != nil } ?? false
            let step: ConnectionFailure.Step = check.isAsked ? .request : isOfTLS ? .tls : .connect
            let told = server.failure(step, reason ?? socket?.problem ?? HealthChecker.invalid)
            shared.connectionFailures.note(told, .check(group.settings.name), now: poller.now)
        }
        conclude(check, isGood: false)
    }

    private func conclude(_ check: HealthCheck, isGood: Bool) {
        guard let server = check.server, let group = check.group else { return }
        if let socket = check.socket { poller.close(socket) }
        check.reset()
        checks.give(check)
        guard !server.isRetired, let settings = group.settings.healthCheck else {
            server.checkAt = .min
            return
        }
        var health = server.health
        let change = health.checked(isGood, settings)
        server.health = health
        server.checkAt = poller.now + ServerHealth.pause(settings, random: LoopContext.seed)
        outcomes.append(Outcome(server: server, group: group, hasChanged: change != .none))
    }
}
