import Bytes
import Crypto
import Reactor

/// TLS between a socket and its owner: joins Crypto's session, which knows no sockets, to Reactor's seam, which knows no
/// TLS.
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
    /// Begins a connection, over TLS where there is a context for it; nil where that fails at once.
    ///
    /// - Parameter serverName: what the server's certificate must show.
    func connect(to address: SocketAddress, tls: TLSClientContext?, serverName: @autoclosure () -> String) -> Socket? {
        guard let tls else { return try? connect(to: address) }
        guard let session = tls.makeSession(serverName: serverName()) else { return nil }
        return try? connect(to: address, filter: TLSFilter(session))
    }
}

extension Socket {
    /// The TLS session over this connection; nil where there is none.
    var tls: TLSSession? { (filter as? TLSFilter)?.session }

    /// `:scheme` of what is asked for on this connection.
    var scheme: [UInt8] { filter == nil ? Socket.http : Socket.https }
    private static let http = Array("http".utf8)
    private static let https = Array("https".utf8)
}
