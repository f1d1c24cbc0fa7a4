/// What happened on an HTTP/2 connection, for its owner. Of one stream, events come in the order of these cases.
package enum H2Event {
    /// An interim response is in `stream.interim`, until the next event. Several come one by one, in their order.
    case interim(H2Stream)
    /// A head is in `stream.head`. Where it ended the message too, `stream.ended` says so and `ended` does not come.
    case head(H2Stream)
    /// There is more to take from the inbox.
    case body(H2Stream)
    /// The peer's message is complete; `stream.trailers` is there if it had some.
    case ended(H2Stream)
    /// What waits to be framed has fallen below the low-water mark.
    case drained(H2Stream)
    /// The stream has ended before its time, by the peer or for the peer's error, but not by our own `reset`. `closed`
    /// follows.
    case reset(H2Stream, code: UInt32)
    /// Nothing more happens on the stream. It is reused for another one after the next call of `nextEvent`: who keeps it
    /// in mind compares `generation`.
    case closed(H2Stream)
    /// The peer opens no more streams, or wants no more of ours.
    case goAway
}

/// The events that wait in a stream.
struct H2PendingEvents: OptionSet {
    let rawValue: UInt8
    static let interim = H2PendingEvents(rawValue: 1)
    static let head = H2PendingEvents(rawValue: 2)
    static let body = H2PendingEvents(rawValue: 4)
    static let ended = H2PendingEvents(rawValue: 8)
    static let drained = H2PendingEvents(rawValue: 16)
    static let reset = H2PendingEvents(rawValue: 32)
    static let closed = H2PendingEvents(rawValue: 64)

    /// Takes out the first.
    mutating func removeFirst() -> H2PendingEvents? {
        guard rawValue != 0 else { return nil }
        let first = H2PendingEvents(rawValue: rawValue & (~rawValue &+ 1))
        subtract(first)
        return first
    }
}
