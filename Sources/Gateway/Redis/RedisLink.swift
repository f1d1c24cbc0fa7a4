import Bytes
import Reactor
import Tokens

/// A worker's connection to the server: the session with what it needs of the loop.
final class RedisLink {
    let server: RedisServer
    var session: RedisSession
    var socket: Socket?
    /// Who waits for the commands that are not answered yet, by their numbers.
    var waiters: [UInt64: @Sendable (Result<RESPValue, StoreFailure>) -> Void] = [:]
    /// Commands so far.
    var commands: UInt64 = 0
    /// Attempts to connect so far.
    var attempt: UInt32 = 0
    /// The addresses that the server's name had last.
    var addresses: [SocketAddress] = []
    /// The code of the last refusal, unless something has succeeded since.
    var refusal: String?
    var deadline: Int64 = .max
    var timerAt: Int64 = .max

    init(_ server: RedisServer, seed: UInt64) {
        self.server = server
        session = RedisSession(server.session, seed: seed)
        if case .address(let address) = server.target { addresses = [address] }
    }

    /// Nobody waits for an answer.
    var isIdle: Bool { session.pending == 0 }
}

extension RedisLink: Timed {
    var timer: TimerToken { TimerToken(role: Worker.Role.redis, owner: 0, generation: 0) }
}
