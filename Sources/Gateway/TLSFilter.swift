import Bytes
import Crypto
import Reactor

/// TLS between a socket and its owner: connects Crypto's session, which is independent of sockets, with Reactor's
/// filter interface, which is independent of TLS.
final class TLSFilter: StreamFilter {
    let session: TLSSession

    init(_ session: TLSSession) { self.session = session }

    var hasMore: Bool { session.hasMore }

    func start(replying wire: Chunk) -> StreamFilterState { translate(session.start(replying: wire)) }

    func receive(_ received: Chunk, into plain: Chunk, replying wire: Chunk) -> StreamFilterState {
        translate(session.receive(received, into: plain, replying: wire))
    }

    func send(_ plain: Chunk, into wire: Chunk) -> StreamFilterState { translate(session.send(plain, into: wire)) }

    func finish(into wire: Chunk) { session.finish(into: wire) }

    private func translate(_ state: TLSState) -> StreamFilterState {
        switch state {
        case .opening: .opening
        case .open: .open
        case .ended: .ended
        case .failed: .failed
        }
    }
}

extension Poller {
    /// Begins a connection, over TLS if there is a context.
    ///
    /// - Parameter serverName: required name in the server's certificate.
    func connect(
        to address: SocketAddress, tls: TLSClientContext?, serverName: @autoclosure () -> String
    ) throws(KernelError) -> Socket {
        guard let tls else { return try connect(to: address) }
        // The library makes no session without memory, or for a text that is no name.
        guard let session = tls.makeSession(serverName: serverName()) else { throw KernelError.outOfMemory }
        return try connect(to: address, filter: TLSFilter(session))
    }
}

extension Socket {
    /// The TLS session of this connection; nil for none.
    var tls: TLSSession? { (filter as? TLSFilter)?.session }

    /// `:scheme` of requests on this connection.
    var scheme: [UInt8] { filter == nil ? Socket.http : Socket.https }
    private static let http = Array("http".utf8)
    private static let https = Array("https".utf8)
}
