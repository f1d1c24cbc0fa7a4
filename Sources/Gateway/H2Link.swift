import Bytes
import HTTP
import Reactor

/// One HTTP/2 connection of a worker: the session, and the socket that carries its frames.
final class H2Link {
    let session: H2Session
    let socket: Socket
    /// Frames may wait to be sent at the end of the turn.
    var isQueued = false

    init(_ session: H2Session, _ socket: Socket) {
        self.session = session
        self.socket = socket
    }
}

extension Worker {
    /// Has the connection send its frames at the end of the turn, so that those of many streams go out together.
    func queue(_ link: H2Link) {
        guard !link.isQueued else { return }
        link.isQueued = true
        var links = queuedLinks
        queuedLinks = []
        links.append(link)
        queuedLinks = links
    }

    /// Sends the frames of all connections that have some.
    func flushLinks() {
        while !queuedLinks.isEmpty {
            let links = queuedLinks
            queuedLinks = spareLinks
            for link in links {
                link.isQueued = false
                flush(link)
            }
            spareLinks = links
            spareLinks.removeAll(keepingCapacity: true)
        }
    }

    private func flush(_ link: H2Link) {
        let socket = link.socket
        // The socket may be another connection's by now.
        let client = socket.role == Role.client ? clients[socket.owner] : nil
        let session = socket.role == Role.upstreamSession ? sessions[socket.owner] : nil
        let check = socket.role == Role.healthCheck ? healthChecks[socket.owner] : nil
        guard client?.link === link || session?.link === link || check?.link === link else { return }
        while link.session.wantsToSend, socket.pendingBytes <= highWater {
            let chunk = poller.chunks.take()
            _ = link.session.produce(into: chunk, upTo: chunk.capacity)
            guard !chunk.isEmpty else {
                poller.chunks.give(chunk)
                break
            }
            poller.send(socket, chunk)
        }
        if let client { framesFlushed(client, link) }
        if let session { sessionFlushed(session, link) }
        if let check { checkFlushed(check, link) }
    }
}
