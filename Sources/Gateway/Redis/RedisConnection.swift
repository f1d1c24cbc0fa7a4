import Bytes
import Crypto
import Model
import Reactor
import Synchronization
import TokenStorage

/// A connection to the token store's server on which the calling thread waits: for a start, before workers run, and for
/// what runs beside them. It is made with the first command and kept.
///
/// After a break, the commands are sent once more over another connection: they must have the same effect then.
package final class RedisConnection: RedisChannel {
    private let server: RedisServer
    private let stream = Mutex<RedisStream?>(nil)
    private let lastFault = Mutex<RedisFault?>(nil)
    private let lastFailure = Mutex<ConnectionFailure?>(nil)

    package init(_ server: RedisServer) { self.server = server }

    /// `host:port` of the server.
    package var place: String { server.target.description }

    /// The same for operators.
    package var failure: ConnectionFailure? {
        guard let fault else { return nil }
        return fault.isOfRequest ? ConnectionFailure(server.url, .request, fault.reason) : lastFailure.withLock { $0 }
    }

    /// Why the last commands were not answered; nil if they were.
    package var fault: RedisFault? { lastFault.withLock { $0 } }

    package func send(
        _ commands: [[[UInt8]]], then: @escaping @Sendable ([Result<RESPValue, StoreFailure>]) -> Void
    ) {
        then(
            stream.withLock { stream in
                for isLast in [stream == nil, true] {
                    do throws(RedisFault) {
                        let open =
                            if let stream { stream } else { try RedisStream(server) { [weak self] in self?.tell($0) } }
                        let replies = try open.ask(commands)
                        // Its name may now be that of another server.
                        stream = replies.contains { $0.errorCode == "READONLY" } ? nil : open
                        lastFault.withLock { $0 = nil }
                        return replies.map { .success($0) }
                    } catch {
                        stream = nil
                        lastFault.withLock { $0 = error }
                        if isLast || error == .timedOut { break }
                    }
                }
                return commands.map { _ in .failure(fault == .timedOut ? .timedOut : .unavailable) }
            })
    }
}

extension RedisConnection {
    private func tell(_ failure: ConnectionFailure) { lastFailure.withLock { $0 = failure } }
}

/// One open connection, over TLS where the server has it.
private final class RedisStream {
    private let connection: BlockingConnection
    private let session: TLSSession?
    private let timeout: Int64
    private let server: RedisServer
    private let tell: (ConnectionFailure) -> Void
    private var reader = RESPReader()
    private let received = Chunk(capacity: RedisStream.piece)
    private let plain = Chunk(capacity: RedisStream.piece)
    private let wire = Chunk(capacity: RedisStream.piece)

    private static let piece = 16_384

    /// - Parameter tell: gets the details of a connection that is not made.
    init(_ server: RedisServer, tell: @escaping (ConnectionFailure) -> Void) throws(RedisFault) {
        self.tell = tell
        self.server = server
        timeout = server.session.timeout
        connection = try RedisStream.connect(server, tell)
        if let tls = server.tls {
            guard let made = tls.context.makeSession(serverName: tls.name(of: server.target)) else {
                throw .unreachable
            }
            session = made
        } else {
            session = nil
        }
        let deadline = Clock.monotonicMilliseconds + timeout
        if let session {
            _ = session.start(replying: wire)
            try flush(wire)
            while session.state == .opening { try receive(before: deadline) }
        }
        for reply in try ask(server.session.greeting) {
            if let code = reply.errorCode { throw .refused(code) }
        }
    }

    private static func connect(
        _ server: RedisServer, _ tell: (ConnectionFailure) -> Void
    ) throws(RedisFault) -> BlockingConnection {
        var addresses: [SocketAddress] = []
        switch server.target {
        case .address(let address): addresses = [address]
        case .name(let host, let port):
            let answer = NameResolver.answer(host, port: port)
            if case .addresses(let found) = answer { addresses = found }
            if let problem = answer.problem { tell(ConnectionFailure(server.url, .resolve, problem)) }
        }
        for address in addresses {
            do throws(KernelError) {
                return try BlockingConnection(
                    address, timeoutMilliseconds: Int32(clamping: server.session.timeout))
            } catch {
                tell(ConnectionFailure(server.url, at: address.description, .connect, error.text))
            }
        }
        throw .unreachable
    }

    /// Sends commands and waits for the reply to each.
    func ask(_ commands: [[[UInt8]]]) throws(RedisFault) -> [RESPValue] {
        let deadline = Clock.monotonicMilliseconds + timeout
        var bytes: [UInt8] = []
        for words in commands { RESPCommand.append(words, to: &bytes) }
        let request = Chunk(capacity: bytes.count)
        request.append(bytes)
        if let session {
            _ = session.send(request, into: wire)
            try flush(wire)
        } else {
            try flush(request)
        }
        var replies: [RESPValue] = []
        while true {
            do throws(RESPFault) {
                while replies.count < commands.count, let reply = try reader.next() { replies.append(reply) }
            } catch {
                throw .malformed(error)
            }
            if replies.count == commands.count { return replies }
            try receive(before: deadline)
        }
    }

    /// Waits for bytes, and passes them to the reader of replies.
    private func receive(before deadline: Int64) throws(RedisFault) {
        // The connection waits for each piece anew.
        guard Clock.monotonicMilliseconds < deadline else { throw .timedOut }
        let (received, plain) = (received, plain)
        received.ensureFree(RedisStream.piece)
        let count: Int
        do throws(KernelError) { count = try connection.receive(into: received) } catch { throw fault(of: error) }
        guard count > 0 else { throw .closed }
        guard let session else {
            reader.append(received.readable)
            return received.consume(received.count)
        }
        repeat {
            plain.ensureFree(RedisStream.piece)
            _ = session.receive(received, into: plain, replying: wire)
            reader.append(plain.readable)
            plain.consume(plain.count)
        } while session.hasMore
        if session.state == .failed {
            // The alert.
            try? flush(wire)
            let failure = session.failure ?? .closed
            tell(ConnectionFailure(server.url, .tls, failure.text))
            throw .tls("\(failure.code)")
        }
        try flush(wire)
        if session.state == .ended { throw .closed }
    }

    private func flush(_ chunk: Chunk) throws(RedisFault) {
        do throws(KernelError) { try connection.send(chunk) } catch { throw fault(of: error) }
    }

    private func fault(of error: KernelError) -> RedisFault { error.isTimeout ? .timedOut : .closed }
}
