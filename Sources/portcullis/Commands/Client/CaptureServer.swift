#if Client
    import Bytes
    import HTTP
    import Model
    import Reactor

    /// Listens on this machine for one expected request of a browser (TOOL-03, SSO-11).
    final class CaptureServer {
        /// The query of a GET or the form of a POST.
        struct Submission {
            let isForm: Bool
            /// Form-encoded.
            let text: [UInt8]
        }

        private static let longestForm = 256 * 1024

        private final class Connection {
            var parser = RequestParser(limits: HTTPLimits())
            /// Bytes of the form that are still missing; nil until the head is read.
            var remaining: Int?
            var form: [UInt8] = []
        }

        private let poller: Poller
        private let table = HeaderTable()
        private var connections: [ObjectIdentifier: Connection] = [:]
        private let accept: (Submission) -> Bool
        /// The connection of the accepted submission.
        private var accepted: ObjectIdentifier?

        /// - Parameter accept: whether a submission is the expected one. Others get status 400.
        init(_ listener: consuming BoundListener, accept: @escaping (Submission) -> Bool) throws(KernelError) {
            self.accept = accept
            poller = try Poller(waker: Waker(), chunkSize: 16 * 1024)
            try poller.listen(listener, id: 0)
        }

        /// Waits for the expected submission.
        /// - Parameter seconds: the time limit.
        /// - Returns: false at the time limit.
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
                    case .timer: return accepted != nil
                    case .connected, .secured, .woken: break
                    }
                    // Browsers hold spare connections open, for which nothing waits.
                    if let accepted, connections[accepted] == nil { return true }
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
            connection.form.append(copying: inbox.readable.extracting(..<count))
            inbox.consume(count)
            connection.remaining = remaining - count
            if remaining == count {
                handle(Submission(isForm: true, text: connection.form), socket)
            } else {
                poller.readMore(socket)
            }
        }

        /// Returns whether a form follows.
        private func readHead(_ socket: Socket, _ connection: Connection, _ inbox: Chunk) -> Bool {
            switch connection.parser.parse(inbox.readable, into: table) {
            case .needMore: poller.readMore(socket)
            case .invalid: close(socket)
            case .head(let head):
                let query = head.query.map { Array(copying: inbox.readable.slice($0)) } ?? []
                inbox.consume(head.length)
                switch (head.method, head.framing) {
                case (.get, .none): handle(Submission(isForm: false, text: query), socket)
                case (.post, .length(let length)) where length <= CaptureServer.longestForm:
                    connection.remaining = length
                    return true
                default: respond(400, CaptureServer.unexpected, socket)
                }
            }
            return false
        }

        private static let unexpected = "This request is not the expected one."

        private func handle(_ submission: Submission, _ socket: Socket) {
            guard accepted == nil, accept(submission) else { return respond(400, CaptureServer.unexpected, socket) }
            accepted = ObjectIdentifier(socket)
            respond(200, "Done. You can close this window.", socket)
        }

        private func respond(_ status: Int, _ text: String, _ socket: Socket) {
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
#endif
