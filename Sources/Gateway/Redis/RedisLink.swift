import Reactor
import TokenStorage

/// A worker's server connection: the session and its loop state.
final class RedisLink {
    let server: RedisServer
    var session: RedisSession
    var socket: Socket?
    /// Waiters of unanswered commands, by command number.
    var waiters: [UInt64: RedisReplies] = [:]
    /// Number of commands so far.
    var commands: UInt64 = 0
    /// Number of connection attempts so far.
    var attempt: UInt32 = 0
    /// Last known addresses of the server's name, in the order to try them.
    var addresses: [SocketAddress] = []
    /// The address that was tried last.
    var address: SocketAddress?
    /// How many of them this attempt has tried.
    var tried = 0
    private var place = 0
    /// Whether there was a session before.
    var wasOpen = false
    /// Code of the last refusal; nil after a success.
    var refusal: String?
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    init(_ server: RedisServer, seed: UInt64) {
        self.server = server
        session = RedisSession(server.session, seed: seed)
        if case .address(let address) = server.target { addresses = [address] }
    }

    /// The next address to try; nil if this attempt has tried all. An address that did not answer is not tried first by
    /// the next attempt.
    func nextAddress() -> SocketAddress? {
        guard tried < addresses.count else { return nil }
        tried += 1
        place = (place + 1) % addresses.count
        return addresses[place]
    }
}

/// Collects the replies to commands sent together, which arrive in order.
final class RedisReplies {
    private var replies: [Result<RESPValue, StoreFailure>] = []
    private let count: Int
    private let then: ([Result<RESPValue, StoreFailure>]) -> Void

    init(count: Int, then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void) {
        self.count = count
        self.then = then
    }

    func add(_ reply: Result<RESPValue, StoreFailure>) {
        replies.append(reply)
        if replies.count == count { then(replies) }
    }
}

extension RedisLink: Timed {
    var timer: TimerToken { TimerToken(role: LoopRole.store, owner: 0) }
}
