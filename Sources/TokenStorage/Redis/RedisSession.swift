/// State machine of one server connection and its commands: takes events, returns actions. Independent of sockets and
/// clocks; times are milliseconds of any monotonic clock.
///
/// Commands are sent immediately, pipelined, and replies arrive in order. When the connection breaks, sent commands
/// fail with `.unavailable` and are never sent again, because the server may have executed them. Unsent ones wait for
/// the next connection until their timeout. After a failed connection attempt, commands fail immediately until one
/// succeeds; attempts repeat with growing, jittered pauses.
package struct RedisSession {
    package enum Action: Equatable, Sendable {
        /// Start connecting; followed by `connected` or `broke`.
        case connect
        case send([UInt8])
        /// Close the connection; no event follows.
        case close
        /// Completes the command with this number.
        case answer(UInt64, Result<RESPValue, StoreFailure>)
        /// The connection is ready for commands.
        case opened
        /// The connection was lost or not made, for another reason than last reported.
        case lost(RedisFault)
    }

    private enum Phase: Equatable {
        /// No command was submitted yet.
        case unopened
        case resting(until: Int64)
        case connecting(until: Int64)
        /// Outstanding replies to the greeting.
        case greeting(Int, until: Int64)
        case ready(since: Int64)
        case ended
    }

    private struct Command {
        var number: UInt64
        /// Empty after sending.
        var words: [[UInt8]]
        var deadline: Int64
    }

    private let settings: RedisSettings
    private var phase = Phase.unopened
    private var reader = RESPReader()
    /// Sent and unanswered, oldest first.
    private var underWay = Fifo<Command>()
    private var waiting = Fifo<Command>()
    /// Failed attempts since the last usable connection.
    private var failures = 0
    /// Whether this connection has answered a command.
    private var wasOfUse = false
    private var told: RedisFault?
    private var random: UInt64

    /// - Parameter seed: decorrelates the pauses of different sessions.
    package init(_ settings: RedisSettings, seed: UInt64) {
        self.settings = settings
        random = seed
    }

    /// Number of commands waiting or sent.
    package var pending: Int { underWay.count + waiting.count }
    package var isReady: Bool { if case .ready = phase { true } else { false } }
    package var isConnecting: Bool { if case .connecting = phase { true } else { false } }

    /// When to call `tick`; `.max` for never.
    package var deadline: Int64 {
        var next = min(underWay.first?.deadline ?? .max, waiting.first?.deadline ?? .max)
        switch phase {
        case .resting(let until), .connecting(let until), .greeting(_, let until): next = min(next, until)
        case .unopened, .ready, .ended: break
        }
        return next
    }

    // MARK: Events

    /// Submits a command.
    package mutating func submit(_ words: [[UInt8]], number: UInt64, now: Int64) -> [Action] {
        let command = Command(number: number, words: words, deadline: now + settings.timeout)
        guard pending < settings.limit else { return [.answer(number, .failure(.overloaded))] }
        switch phase {
        case .ended: return [.answer(number, .failure(.unavailable))]
        case .unopened:
            waiting.append(command)
            phase = .connecting(until: now + settings.timeout)
            return [.connect]
        case .resting, .connecting, .greeting:
            // The server is down; waiting would be futile.
            guard failures == 0 else { return [.answer(number, .failure(.unavailable))] }
            waiting.append(command)
            return []
        case .ready:
            waiting.append(command)
            return [.send(sendWaiting())]
        }
    }

    /// The connection is established, including the TLS handshake if used.
    package mutating func connected(now: Int64) -> [Action] {
        guard case .connecting(let until) = phase else { return [] }
        let greeting = settings.greeting
        var bytes: [UInt8] = []
        for words in greeting { RESPCommand.append(words, to: &bytes) }
        reader = RESPReader()
        wasOfUse = false
        phase = .greeting(greeting.count, until: until)
        return [.send(bytes)]
    }

    /// Received bytes from the server.
    package mutating func received(_ bytes: Span<UInt8>, now: Int64) -> [Action] {
        var actions: [Action] = []
        reader.append(bytes)
        do throws(RESPFault) {
            while let reply = try reader.next() {
                if let fault = take(reply, now: now, &actions) {
                    lose(fault, now: now, &actions)
                    return actions
                }
            }
        } catch {
            lose(.malformed(error), now: now, &actions)
        }
        return actions
    }

    /// The connection failed or ended.
    package mutating func broke(_ fault: RedisFault, now: Int64) -> [Action] {
        var actions: [Action] = []
        lose(fault, now: now, &actions)
        return actions
    }

    /// `deadline` has passed.
    package mutating func tick(now: Int64) -> [Action] {
        var actions: [Action] = []
        if let oldest = underWay.first, oldest.deadline <= now { lose(.timedOut, now: now, &actions) }
        switch phase {
        case .connecting(let until) where until <= now: lose(.timedOut, now: now, &actions)
        case .greeting(_, let until) where until <= now: lose(.timedOut, now: now, &actions)
        case .resting(let until) where until <= now:
            phase = .connecting(until: now + settings.timeout)
            actions.append(.connect)
        default: break
        }
        while let oldest = waiting.first, oldest.deadline <= now {
            _ = waiting.popFirst()
            // Never sent, so certainly not executed.
            actions.append(.answer(oldest.number, .failure(.unavailable)))
        }
        return actions
    }

    /// Ends the session. Fails all unanswered commands.
    package mutating func end() -> [Action] {
        var actions: [Action] = []
        switch phase {
        case .connecting, .greeting, .ready: actions.append(.close)
        case .unopened, .resting, .ended: break
        }
        phase = .ended
        RedisSession.refuse(&underWay, &actions)
        RedisSession.refuse(&waiting, &actions)
        return actions
    }

    // MARK: Replies

    /// Handles one reply. Returns a fault that ends the connection.
    private mutating func take(_ reply: RESPValue, now: Int64, _ actions: inout [Action]) -> RedisFault? {
        if case .greeting(let missing, let until) = phase {
            if let code = reply.errorCode { return .refused(code) }
            guard reply.isStatus("OK") || reply.isStatus("PONG") else { return .unasked }
            guard missing == 1 else {
                phase = .greeting(missing - 1, until: until)
                return nil
            }
            phase = .ready(since: now)
            told = nil
            actions.append(.opened)
            if !waiting.isEmpty { actions.append(.send(sendWaiting())) }
            return nil
        }
        guard let command = underWay.popFirst() else { return .unasked }
        actions.append(.answer(command.number, .success(reply)))
        if reply.errorCode == "READONLY" { return .readOnly }
        wasOfUse = true
        failures = 0
        return nil
    }

    private mutating func sendWaiting() -> [UInt8] {
        var bytes: [UInt8] = []
        while var command = waiting.popFirst() {
            RESPCommand.append(command.words, to: &bytes)
            command.words = []
            underWay.append(command)
        }
        return bytes
    }

    // MARK: Breaks

    private mutating func lose(_ fault: RedisFault, now: Int64, _ actions: inout [Action]) {
        switch phase {
        case .unopened, .resting, .ended: return
        case .ready(let since) where wasOfUse || now - since >= settings.longestPause: failures = 0
        case .connecting, .greeting, .ready: failures += 1
        }
        actions.append(.close)
        refuseUnderWay(fault, now: now, &actions)
        if failures > 0 { RedisSession.refuse(&waiting, &actions) }
        if fault != told {
            told = fault
            actions.append(.lost(fault))
        }
        phase = .resting(until: now + pause())
    }

    /// Fails sent commands: expired ones with `.timedOut`, later ones because the connection is lost.
    private mutating func refuseUnderWay(_ fault: RedisFault, now: Int64, _ actions: inout [Action]) {
        while let oldest = underWay.first, fault == .timedOut, oldest.deadline <= now {
            _ = underWay.popFirst()
            actions.append(.answer(oldest.number, .failure(.timedOut)))
        }
        RedisSession.refuse(&underWay, &actions)
    }

    private static func refuse(_ commands: inout Fifo<Command>, _ actions: inout [Action]) {
        while let command = commands.popFirst() { actions.append(.answer(command.number, .failure(.unavailable))) }
    }

    /// Between half and the full pause, so that sessions do not reconnect simultaneously.
    private mutating func pause() -> Int64 {
        let doublings = min(max(failures - 1, 0), 30)
        let whole = max(2, min(settings.longestPause, settings.firstPause << Int64(doublings)))
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return whole / 2 + Int64(random >> 33) % (whole / 2 + 1)
    }
}
