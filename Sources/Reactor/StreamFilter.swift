import Bytes

/// Transforms the bytes between a socket and its owner: TLS.
///
/// The poller does the I/O and calls the filter from its thread, once for each received or sent chunk, so that the cost
/// of the dynamic call does not matter.
package protocol StreamFilter: AnyObject {
    /// Starts the handshake; clients write their first message.
    func start(replying wire: Chunk) -> StreamFilterState

    /// Processes bytes from the peer.
    ///
    /// - Parameters:
    ///   - received: bytes from the peer. The filter consumes processed bytes; the rest is passed again with more
    ///     bytes. Returns `.failed` if it would have to buffer too much.
    ///   - plain: output of at most `plain.free` bytes. If it is full, another call follows once its owner has made
    ///     room.
    ///   - wire: output for the peer (handshake messages, alerts), which may grow.
    func receive(_ received: Chunk, into plain: Chunk, replying wire: Chunk) -> StreamFilterState

    /// Consumes all of `plain` and appends the encrypted bytes to `wire`, which may grow. Also called after the peer
    /// has ended, since it may still wait for a response.
    func send(_ plain: Chunk, into wire: Chunk) -> StreamFilterState

    /// Appends the closing message (close_notify of RFC 8446 section 6.1).
    func finish(into wire: Chunk)

    /// Whether the filter holds bytes for which `plain` had no room.
    var hasMore: Bool { get }
}

/// The state of a filter.
package enum StreamFilterState: Sendable {
    /// During the handshake.
    case opening
    case open
    /// The peer has closed its side; only after `open`.
    case ended
    /// The peer violated the protocol or is not trusted.
    case failed
}

/// A socket's filter with its buffers and unreported completions.
final class FilteredStream {
    let filter: any StreamFilter
    var state = StreamFilterState.opening
    /// Unprocessed bytes from the peer; nil for none.
    var received: Chunk?
    /// Bytes that the owner sent before the filter was open.
    var kept: [Chunk] = []
    /// Whether the closing message was sent.
    var isFinished = false

    // Unreported completions, in the order of reporting.
    var owesSecured = false
    var owesSent = false
    var owesReceived = false
    var owesEnd = false

    init(_ filter: any StreamFilter) { self.filter = filter }

    var isOpening: Bool { state == .opening }
}
