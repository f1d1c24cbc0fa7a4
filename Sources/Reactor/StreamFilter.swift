import Bytes

/// What stands between a socket and its owner and changes the bytes on their way: TLS.
///
/// Only values and chunks go in and out. The poller receives, sends, and calls from its thread. A filter is reached
/// through one call for each received or sent chunk, which its work outweighs by far.
package protocol StreamFilter: AnyObject {
    /// Begins; a client says its first message here.
    func start(replying wire: Chunk) -> StreamFilterState

    /// Takes what came from the peer.
    ///
    /// - Parameters:
    ///   - received: bytes from the peer. Those that were used are consumed; what is left comes again with more behind
    ///     it. A filter answers `.failed` where it would have to wait for more than it wants to hold.
    ///   - plain: gets what the peer said, at most `plain.free` bytes. Filled up, it is followed by another call as soon
    ///     as its owner has made room.
    ///   - wire: gets what is to be sent for it (messages of the handshake, alerts), and may grow.
    func receive(_ received: Chunk, into plain: Chunk, replying wire: Chunk) -> StreamFilterState

    /// Consumes all of `plain` and appends what is to be sent for it to `wire`, which may grow. Called from the opening
    /// on, also after the peer has ended: it may still wait for an answer.
    func send(_ plain: Chunk, into wire: Chunk) -> StreamFilterState

    /// Appends the message that says that nothing more comes (close_notify of RFC 8446 section 6.1).
    func finish(into wire: Chunk)

    /// Bytes for the owner wait inside, for room in `plain`.
    var hasMore: Bool { get }
}

/// How far a filter is.
package enum StreamFilterState: Sendable {
    /// The handshake goes on.
    case opening
    case open
    /// The peer has said that nothing more comes; only after `open`.
    case ended
    /// The peer broke the protocol or is not trusted.
    case failed
}

/// A socket's filter with what waits at its two sides, and what is still to be told to the owner.
final class FilteredStream {
    let filter: any StreamFilter
    var state = StreamFilterState.opening
    /// Bytes from the peer that the filter has not consumed; nil while there are none.
    var received: Chunk?
    /// What the owner sent before the opening.
    var kept: [Chunk] = []
    /// The end was said to the peer.
    var isFinished = false

    // What has happened and was not told yet, in the order in which it is told.
    var owesSecured = false
    var owesSent = false
    var owesReceived = false
    var owesEnd = false

    init(_ filter: any StreamFilter) { self.filter = filter }

    var isOpening: Bool { state == .opening }
}
