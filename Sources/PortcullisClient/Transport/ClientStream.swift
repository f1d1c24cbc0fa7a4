import Bytes
import ClientStore
import Crypto
import Model
import Reactor

/// A blocking connection to a server, with or without TLS.
final class ClientStream {
    private let connection: BlockingConnection
    private let session: TLSSession?
    private let host: String
    private let received = Chunk(capacity: ClientStream.piece)
    private let wire = Chunk(capacity: ClientStream.piece)

    private static let piece = 32_768

    /// Connects to the first reachable address of the host.
    init(
        _ address: WebURL, tls: TLSClientContext, timeoutMilliseconds: Int32, _ cancellation: Cancellation
    ) throws(ClientError) {
        host = address.host
        connection = try ClientStream.connect(address, timeoutMilliseconds)
        guard let breaker = try? connection.breaker(), cancellation.watch(breaker) else { throw .cancelled }
        guard address.isSecure else {
            session = nil
            return
        }
        guard let session = tls.makeSession(serverName: address.host) else {
            throw ClientError(.tlsFailed, "\(address.host) is no name that a certificate could be for")
        }
        self.session = session
        try performHandshake(session)
    }

    private static func connect(
        _ address: WebURL, _ timeoutMilliseconds: Int32
    ) throws(ClientError) -> BlockingConnection {
        var reason = "the name has no address"
        for candidate in BlockingConnection.addresses(ofHost: address.host, port: address.port) {
            do throws(KernelError) {
                return try BlockingConnection(candidate, timeoutMilliseconds: timeoutMilliseconds)
            } catch {
                reason = error.text
            }
        }
        throw ClientError(.unreachable, "\(address.place) cannot be reached: \(reason)")
    }

    /// Sends the whole chunk.
    func send(_ chunk: Chunk) throws(ClientError) {
        guard let session else { return try flush(chunk) }
        let state = session.send(chunk, into: wire)
        try flush(wire)
        if state == .failed { throw failure(session) }
    }

    /// Receives into the free part of the chunk; returns the count, 0 at the end. An end without close_notify is an
    /// error, since the response may be truncated.
    func receive(into plain: Chunk) throws(ClientError) -> Int {
        guard let session else { return try fill(plain) }
        let before = plain.count
        while true {
            let state = session.receive(received, into: plain, replying: wire)
            try flush(wire)
            if plain.count > before { return plain.count - before }
            if state == .ended { return 0 }
            if state == .failed { throw failure(session) }
            try takeMore(session)
        }
    }

    private func performHandshake(_ session: TLSSession) throws(ClientError) {
        // Without room, so that early data of the server waits for `receive`.
        let full = Chunk(capacity: 1)
        full.append(0 as UInt8)
        var state = session.start(replying: wire)
        while true {
            try flush(wire)
            if state == .open { return }
            if state != .opening { throw failure(session) }
            try takeMore(session)
            state = session.receive(received, into: full, replying: wire)
        }
    }

    private func takeMore(_ session: TLSSession) throws(ClientError) {
        received.ensureFree(ClientStream.piece)
        if try fill(received) == 0 {
            _ = session.transportEnded()
            throw failure(session)
        }
    }

    private func fill(_ chunk: Chunk) throws(ClientError) -> Int {
        do throws(KernelError) { return try connection.receive(into: chunk) } catch { throw broken(error) }
    }

    private func flush(_ chunk: Chunk) throws(ClientError) {
        do throws(KernelError) { try connection.send(chunk) } catch { throw broken(error) }
    }

    private func broken(_ error: KernelError) -> ClientError {
        ClientError(.unreachable, "\(host) has not answered: \(error.text)")
    }

    private func failure(_ session: TLSSession) -> ClientError {
        let cause = session.failure ?? .closed
        return ClientError(.tlsFailed, "no trustworthy connection to \(host): \(cause.detail ?? "\(cause.code)")")
    }
}
