import Bytes
import Reactor
import TokenStorage

/// A worker's connection to the server: the session with what it needs of the loop.
final class RedisLink {
    let server: RedisServer
    var session: RedisSession
    var socket: Socket?
    /// Who waits for the commands that are not answered yet, by their numbers.
    var waiters: [UInt64: RedisReplies] = [:]
    /// Commands so far.
    var commands: UInt64 = 0
    /// Attempts to connect so far.
    var attempt: UInt32 = 0
    /// The addresses that the server's name had last, in the order in which they are tried.
    var addresses: [SocketAddress] = []
    /// How many of them this attempt has tried.
    var tried = 0
    private var place = 0
    /// Whether there was a session before.
    var wasOpen = false
    /// The code of the last refusal, unless something has succeeded since.
    var refusal: String?
    var deadline: Int64 = .max
    var timerAt: Int64 = .max
    var laterTimerAt: Int64 = .max

    init(_ server: RedisServer, seed: UInt64) {
        self.server = server
        session = RedisSession(server.session, seed: seed)
        if case .address(let address) = server.target { addresses = [address] }
    }

    /// The next address to try; nil where this attempt has tried them all. One that stays silent is not the first that
    /// the next attempt tries.
    func nextAddress() -> SocketAddress? {
        guard tried < addresses.count else { return nil }
        tried += 1
        place = (place + 1) % addresses.count
        return addresses[place]
    }
}

/// The replies to commands that were sent together, which come in their order.
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
    var timer: TimerToken { TimerToken(role: Worker.Role.redis, owner: 0) }
}
