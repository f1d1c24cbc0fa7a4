/// An event of an HTTP/2 connection. The events of a stream are in the order of these cases.
package enum H2Event {
    /// An interim response is in `stream.interim` until the next event.
    case interim(H2Stream)
    /// A head is in `stream.head`. If it also ends the message, `stream.ended` is set and no `ended` follows.
    case head(H2Stream)
    /// The inbox has more data.
    case body(H2Stream)
    /// The peer's message is complete, with its trailers in `stream.trailers`.
    case ended(H2Stream)
    /// The unframed body has fallen below the low-water mark.
    case drained(H2Stream)
    /// The stream was aborted by the peer or for the peer's error, not by `reset` of the owner. `closed` follows.
    case reset(H2Stream, code: UInt32)
    /// The last event of the stream. The object is reused after the next call of `nextEvent`; references to it must
    /// compare `generation`.
    case closed(H2Stream)
    /// The peer opens or accepts no more streams.
    case goAway
}

/// The pending events of a stream.
struct H2PendingEvents: OptionSet {
    let rawValue: UInt8
    static let interim = H2PendingEvents(rawValue: 1)
    static let head = H2PendingEvents(rawValue: 2)
    static let body = H2PendingEvents(rawValue: 4)
    static let ended = H2PendingEvents(rawValue: 8)
    static let drained = H2PendingEvents(rawValue: 16)
    static let reset = H2PendingEvents(rawValue: 32)
    static let closed = H2PendingEvents(rawValue: 64)

    mutating func removeFirst() -> H2PendingEvents? {
        guard rawValue != 0 else { return nil }
        let first = H2PendingEvents(rawValue: rawValue & (~rawValue &+ 1))
        subtract(first)
        return first
    }
}
