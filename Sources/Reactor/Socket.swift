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
    package var role: UInt8 = 0
    package var owner = 0
    package internal(set) var peer = SocketAddress(literal: "0.0.0.0", port: 0)

    /// Bytes received and not yet consumed.
    package internal(set) var inbox: Chunk?
    var outbox: [Chunk] = []
    var outboxCount = 0

    var readable = false
    var hangup = false
    var queued = false
    var connecting = false
    var failure: Int32 = 0
    var failureReported = false
    package internal(set) var readingPaused = false
    /// The peer has sent its last byte.
    package internal(set) var ended = false

    init(index: Int) { self.index = index }

    package var isOpen: Bool { descriptor >= 0 }
    /// Bytes that wait until the peer takes more.
    package var pendingBytes: Int { outboxCount }
    /// The connection has ended or failed, even if that was not yet reported.
    package var isUnusable: Bool { descriptor < 0 || ended || hangup || failure != 0 }
    /// The unread bytes' count.
    package var unread: Int { inbox?.count ?? 0 }
    /// Identity of this connection among all of the loop.
    package var identity: UInt64 { UInt64(generation) << 32 | UInt64(index) }

    func reset() {
        descriptor = -1
        generation &+= 1
        role = 0
        owner = 0
        readable = false
        hangup = false
        connecting = false
        failure = 0
        failureReported = false
        readingPaused = false
        ended = false
    }
}

@available(*, unavailable)
extension Socket: Sendable {}
