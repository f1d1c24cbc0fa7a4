import Bytes

/// One connected socket of a loop, with its receive buffer, its unsent bytes and its owner.
///
/// The poller receives into `inbox`, which is nil while nothing is unread, so that idle connections hold no buffer.
/// Objects are reused. Not Sendable.
package final class Socket {
    var descriptor: Int32 = -1
    /// Index in the poller's table.
    let index: Int
    /// Counts the connections of this index, so that late events of earlier ones are detected.
    var generation: UInt32 = 0

    /// Kind and index of the owner, set and read by the owner.
    package var role: UInt8 {
        get { ownerRole }
        set { ownerRole = newValue }
    }
    package var owner: Int {
        get { ownerPlace }
        set { ownerPlace = newValue }
    }
    package var peer: SocketAddress? { peerAddress }
    /// Why the connection has failed, as the system says; nil if it has not.
    package var error: KernelError? { failure == 0 ? nil : KernelError(failure) }
    /// Bytes received and not yet consumed.
    package var inbox: Chunk? { received }

    // Stored separately from the package properties: within the module, the compiler can remove exclusivity checks of
    // internal properties.
    private var ownerRole: UInt8 = 0
    private var ownerPlace = 0
    var peerAddress: SocketAddress?
    var received: Chunk?
    var outbox: [Chunk] = []
    var outboxCount = 0
    /// Bytes that the kernel has accepted so far.
    var sentBytes = 0
    /// The filter with its state; nil without one.
    var stream: FilteredStream?
    /// Unencrypted bytes that were sent before the filter was open.
    var keptCount = 0
    /// Whether the filter has more bytes for a full inbox.
    var holdsMore = false

    var readable = false
    var hangup = false
    var queued = false
    /// Whether the last receive has filled its buffer.
    var isBulk = false
    /// State of `RingEngine`.
    var ring = RingState()

    /// Whether it is in the loop's backlog of handshakes.
    var awaitsOpening = false
    var connecting = false
    var failure: Int32 = 0
    var failureReported = false
    var readingPaused = false
    var sawEnd = false
    /// Whether the peer has ended its side.
    package var ended: Bool { sawEnd }
    /// Whether the filter's handshake is complete.
    package var isSecured: Bool { stream.map { !$0.isOpening } ?? false }
    package var filter: (any StreamFilter)? { stream?.filter }
    /// Whether the end was authenticated by the peer, not a truncation. Without a filter this is not detectable.
    package var endedCleanly: Bool { stream.map { $0.state == .ended } ?? true }

    /// The highest bit of event data marks a listener.
    static let largestGeneration = UInt32.max >> 1

    init(index: Int) { self.index = index }

    package var isOpen: Bool { descriptor >= 0 }
    /// Bytes that wait for the peer, as on the wire, plus unencrypted bytes from before the end of the handshake.
    package var pendingBytes: Int { outboxCount &+ keptCount }
    /// Whether the connection has ended or failed, even if that was not reported yet.
    package var isUnusable: Bool { descriptor < 0 || sawEnd || hangup || failure != 0 }
    /// Whether the owner has paused reading.
    package var isReadingPaused: Bool { readingPaused }
    /// Whether more bytes or the end may be unread.
    package var mayHaveMore: Bool { readable || holdsMore }
    /// Capacity of the receive buffers.
    package var receivedCapacity: Int {
        let here = (received?.capacity ?? 0) + (ring.arrived?.capacity ?? 0)
        return ring.laterArrivals.reduce(here) { $0 + $1.capacity }
    }
    /// Number of unread bytes.
    package var unread: Int { received?.count ?? 0 }
    /// Unique identity of this connection in the loop.
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
