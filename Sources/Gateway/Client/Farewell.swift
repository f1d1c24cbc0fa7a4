/// How far an HTTP/2 client has been told that its connection is about to end: twice, so that none of its requests is lost
/// (RFC 9113 section 6.8).
///
/// The first time asks it to open no more streams, and refuses none. What a client has taken on but not sent when it hears
/// that fails all the same, within the client: libnghttp2, and with it h2load and curl, closes such streams as refused. It
/// takes on new ones as answers come in. So the first farewell waits until the client is not about to: until it waits for
/// as many answers at a time as it ever did, and all that were sent before have been read. Who does not come to that point
/// is asked after a while.
///
/// The second names the last stream, and refuses those behind it. It waits until the client says that it has heard the
/// first; who does not is not waited for without end.
struct Farewell {
    enum Step {
        /// Ask for no more streams.
        case ask
        /// Refuse those that come from now on.
        case refuse
    }

    private enum State {
        case unsaid, due(since: Int64), asked(at: Int64), refused
    }

    private var state = State.unsaid

    /// How long the first farewell waits for its moment, in milliseconds.
    static let momentTime: Int64 = 500
    /// How long the second waits until the first was heard, in milliseconds: for a client that is slow or far away.
    static let hearingTime: Int64 = 5000

    /// Nothing more is said.
    var isOver: Bool { if case .refused = state { true } else { false } }

    /// The connection is to end.
    mutating func fallDue(now: Int64) {
        if case .unsaid = state { state = .due(since: now) }
    }

    /// Something came from the client, and nothing that came with it is answered yet.
    ///
    /// - Parameters:
    ///   - waitsForAll: the client waits for as many answers as it ever did at a time.
    ///   - hasHeard: the client has read the first farewell.
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
        case .due(let since) where now - since >= Farewell.momentTime: ask(now)
        case .asked(let at) where now - at >= Farewell.hearingTime: refuse()
        default: nil
        }
    }

    /// The connection has been without streams for so long that the client is not asked first.
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
