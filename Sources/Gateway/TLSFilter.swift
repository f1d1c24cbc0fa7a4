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

extension Socket {
    /// The TLS session over this connection; nil where there is none.
    var tls: TLSSession? { (filter as? TLSFilter)?.session }
}
