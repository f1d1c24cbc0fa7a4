import Bytes

/// One connected socket of a loop: its receive buffer, what it still has to send, and who owns it.
///
/// The poller receives into `inbox` by itself; `inbox` is nil while nothing is unread, so that an idle connection
/// holds no buffer. Objects are reused for later connections. Not Sendable.
package final class Socket {
    var descriptor: Int32 = -1
    /// Place in the poller's table.
    let index: Int
    /// Counts the connections that used this place, so that late events of an earlier one are known.
    var generation: UInt32 = 0

    /// What kind of thing owns the socket, and its place there; set and read by the owner.
    package var role: UInt8 {
        get { ownerRole }
        set { ownerRole = newValue }
    }
    package var owner: Int {
        get { ownerPlace }
        set { ownerPlace = newValue }
    }
    package var peer: SocketAddress? { peerAddress }
    /// Bytes received and not yet consumed.
    package var inbox: Chunk? { received }

    // Stored apart from what other rooms see: accesses that the compiler can follow through the whole module cost no
    // check at run time.
    private var ownerRole: UInt8 = 0
    private var ownerPlace = 0
    var peerAddress: SocketAddress?
    var received: Chunk?
    var outbox: [Chunk] = []
    var outboxCount = 0
    /// Bytes that the kernel has taken so far.
    var sentBytes = 0
    /// The filter and what belongs to it; nil where bytes pass as they are.
    var stream: FilteredStream?
    /// Bytes that were sent before the filter was open, as the owner gave them.
    var keptCount = 0
    /// The filter could give more at once if there was room in the inbox.
    var holdsMore = false

    var readable = false
    var hangup = false
    var queued = false
    /// What was received last has filled its buffer.
    var isBulk = false
    /// Of `RingEngine` alone.
    var ring = RingState()

    /// It is among the openings of the loop.
    var awaitsOpening = false
    var connecting = false
    var failure: Int32 = 0
    var failureReported = false
    var readingPaused = false
    var sawEnd = false
    /// The peer has sent its last byte.
    package var ended: Bool { sawEnd }
    /// What changes the bytes between the peer and the owner.
    /// The handshake of the filter is over.
    package var isSecured: Bool { stream.map { !$0.isOpening } ?? false }
    package var filter: (any StreamFilter)? { stream?.filter }
    /// Where the connection has ended: the peer said so, and nobody between cut it off. Without a filter nobody knows.
    package var endedCleanly: Bool { stream.map { $0.state == .ended } ?? true }

    /// Of an event's number the highest bit stands for a listener.
    static let largestGeneration = UInt32.max >> 1

    init(index: Int) { self.index = index }

    package var isOpen: Bool { descriptor >= 0 }
    /// Bytes that wait until the peer takes more, as they go over the wire; those sent before the handshake was over as
    /// they were given.
    package var pendingBytes: Int { outboxCount &+ keptCount }
    /// The connection has ended or failed, even if that was not yet reported.
    package var isUnusable: Bool { descriptor < 0 || sawEnd || hangup || failure != 0 }
    /// Reading has been stopped by the owner.
    package var isReadingPaused: Bool { readingPaused }
    /// More bytes, or the end, may be there beyond what was read last.
    package var mayHaveMore: Bool { readable || holdsMore }
    /// Bytes of the buffers that hold what was received and is not consumed.
    package var receivedCapacity: Int {
        let here = (received?.capacity ?? 0) + (ring.arrived?.capacity ?? 0)
        return ring.laterArrivals.reduce(here) { $0 + $1.capacity }
    }
    /// The unread bytes' count.
    package var unread: Int { received?.count ?? 0 }
    /// Identity of this connection among all of the loop.
    package var identity: UInt64 { UInt64(generation) << 32 | UInt64(index) }

    func reset() {
        descriptor = -1
        generation = (generation &+ 1) & Socket.largestGeneration
        ownerRole = 0
        ownerPlace = 0
        readable = false
        hangup = false
        connecting = false
        failure = 0
        failureReported = false
        readingPaused = false
        sawEnd = false
        sentBytes = 0
        stream = nil
        keptCount = 0
        holdsMore = false
        awaitsOpening = false
        isBulk = false
    }
}

@available(*, unavailable)
extension Socket: Sendable {}
