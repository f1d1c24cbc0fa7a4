import Bytes
import HTTP
import Reactor

/// Listens on this machine until a browser brings what is waited for (TOOL-03, SSO-11), tells the browser that it is done,
/// and ends.
final class CaptureServer {
    /// A request as far as it matters: the fields of a query, or the form of a POST.
    struct Arrival {
        let isForm: Bool
        /// As it came, form-encoded.
        let text: [UInt8]
    }

    private static let longestForm = 256 * 1024

    private final class Connection {
        var parser = RequestParser(limits: HTTPLimits())
        /// What is to come of the form; nil until the head has come.
        var remaining: Int?
        var form: [UInt8] = []
    }

    private let poller: Poller
    private let table = HeaderTable()
    private var connections: [ObjectIdentifier: Connection] = [:]
    private let take: (Arrival) -> Bool
    /// The connection by which it has come.
    private var bringer: ObjectIdentifier?

    /// - Parameter take: answers whether an arrival is what is waited for. Others are told so, and the wait goes on.
    init(_ listener: consuming BoundListener, take: @escaping (Arrival) -> Bool) throws(KernelError) {
        self.take = take
        poller = try Poller(waker: Waker(), chunkSize: 16 * 1024)
        try poller.listen(listener, id: 0)
    }

    /// Waits.
    /// - Parameter seconds: at most so long.
    /// - Returns: whether it has come.
    func run(seconds: Int64) -> Bool {
        let end = TimerToken(role: 0, owner: 0)
        poller.schedule(end, at: poller.now + seconds * 1000)
        while true {
            poller.wait()
            while let completion = poller.next() {
                switch completion {
                case .accepted(_, let socket):
                    connections[ObjectIdentifier(socket)] = Connection()
                case .received(let socket): receive(socket)
                case .sent(let socket):
                    if socket.pendingBytes == 0 { close(socket) }
                case .ended(let socket), .failed(let socket, _), .hungUp(let socket): close(socket)
                case .timer: return bringer != nil
                case .connected, .secured, .woken: break
                }
                // Others may be open that a browser has made to be ready, or somebody else.
                if let bringer, connections[bringer] == nil { return true }
            }
        }
    }

    private func close(_ socket: Socket) {
        if connections.removeValue(forKey: ObjectIdentifier(socket)) != nil { poller.close(socket) }
    }

    private func receive(_ socket: Socket) {
        guard let connection = connections[ObjectIdentifier(socket)], let inbox = socket.inbox else { return }
        if connection.remaining == nil, !readHead(socket, connection, inbox) { return }
        guard let remaining = connection.remaining else { return }
        let count = min(remaining, inbox.count)
        connection.form += CaptureServer.bytes(inbox.readable.extracting(..<count))
        inbox.consume(count)
        connection.remaining = remaining - count
        if remaining == count {
            judge(Arrival(isForm: true, text: connection.form), socket)
        } else {
            poller.readMore(socket)
        }
    }

    /// Answers whether a form is to follow.
    private func readHead(_ socket: Socket, _ connection: Connection, _ inbox: Chunk) -> Bool {
        switch connection.parser.parse(inbox.readable, into: table) {
        case .needMore: poller.readMore(socket)
        case .invalid: close(socket)
        case .head(let head):
            let query = head.query.map { CaptureServer.bytes(inbox.readable.slice($0)) } ?? []
            inbox.consume(head.length)
            switch (head.method, head.framing) {
            case (.get, .none): judge(Arrival(isForm: false, text: query), socket)
            case (.post, .length(let length)) where length <= CaptureServer.longestForm:
                connection.remaining = length
                return true
            default: answer(400, "This is not what is waited for.", socket)
            }
        }
        return false
    }

    private static func bytes(_ span: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        for i in span.indices { bytes.append(span[i]) }
        return bytes
    }

    private func judge(_ arrival: Arrival, _ socket: Socket) {
        guard bringer == nil, take(arrival) else {
            answer(400, "This is not what is waited for.", socket)
            return
        }
        bringer = ObjectIdentifier(socket)
        answer(200, "Done. You can close this window.", socket)
    }

    private func answer(_ status: Int, _ text: String, _ socket: Socket) {
        let page =
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>portcullis</title><p>\(text)</p></html>\n"
        let head = [
            "HTTP/1.1 \(status) \(StatusReason.text(status))", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(page.utf8.count)", "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'",
            "Referrer-Policy: no-referrer", "Connection: close",
        ]
        let chunk = poller.chunks.take()
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
        chunk.ensureFree(bytes.count)
        chunk.append(bytes)
        poller.send(socket, chunk)
        if socket.pendingBytes == 0 { close(socket) }
    }
}
