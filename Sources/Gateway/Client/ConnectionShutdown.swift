/// The graceful shutdown of an HTTP/2 connection, by two GOAWAY frames so that no request is lost (RFC 9113 section 6.8).
///
/// The first frame asks the client to open no more streams, and refuses none. Requests that a client has accepted but not
/// sent when it reads that frame fail within the client: libnghttp2, and with it h2load and curl, closes such streams as
/// refused. A client accepts new requests as responses come in. So the first frame waits until the client waits for as many
/// responses at a time as it ever did and everything it sent before has been read, but not longer than `momentTime`.
///
/// The second frame names the last stream, and refuses those behind it. It waits until the client has acknowledged that it
/// read the first, but not longer than `hearingTime`.
struct ConnectionShutdown {
    enum Step {
        /// Announce the shutdown; accept streams already in flight.
        case ask
        /// Refuse further streams.
        case refuse
    }

    private enum State {
        case idle, due(since: Int64), asked(at: Int64), refused
    }

    private var state = State.idle

    /// The longest wait before the first frame, in milliseconds.
    static let momentTime: Int64 = 500
    /// The longest wait between the frames, in milliseconds, for slow or distant clients.
    static let hearingTime: Int64 = 5000

    /// Both frames were sent.
    var isOver: Bool { if case .refused = state { true } else { false } }

    /// The shutdown begins.
    mutating func fallDue(now: Int64) {
        if case .idle = state { state = .due(since: now) }
    }

    /// Bytes arrived from the client; their requests are not answered yet.
    ///
    /// - Parameters:
    ///   - waitsForAll: whether as many responses are pending as ever before.
    ///   - hasHeard: whether the client has acknowledged the first frame.
    mutating func received(waitsForAll: Bool, hasHeard: Bool, now: Int64) -> Step? {
        switch state {
        case .due where waitsForAll: ask(now)
        case .asked where hasHeard: refuse()
        default: nil
        }
    }

    /// Time has passed.
    mutating func passed(now: Int64) -> Step? {
        switch state {
        case .due(let since) where now - since >= ConnectionShutdown.momentTime: ask(now)
        case .asked(let at) where now - at >= ConnectionShutdown.hearingTime: refuse()
        default: nil
        }
    }

    /// The connection has had no streams for so long that the first frame is skipped.
    mutating func refuse() -> Step? {
        if isOver { return nil }
        state = .refused
        return .refuse
    }

    private mutating func ask(_ now: Int64) -> Step? {
        state = .asked(at: now)
        return .ask
    }
}
