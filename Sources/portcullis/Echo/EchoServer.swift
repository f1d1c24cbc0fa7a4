import Bytes
import HTTP
import Model
import Reactor
import Synchronization

/// The sample upstream: the event loop of one thread of `portcullis echo`, whose help lists the resources.
final class EchoServer {
    private static let role: UInt8 = 1
    private static let block = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)

    private final class Connection {
        var socket: Socket?
        var generation: UInt32 = 0
        var parser = RequestParser(limits: HTTPLimits())
        var skipped: BodySkip = .nothing
        var bodyLength = 0
        var head: EchoRequest?
        var delayed = false
        var remaining = 0
        var keepAlive = true
        var busy = false
    }

    private let poller: Poller
    private let counter: Counter
    private let table = HeaderTable()
    private var connections: [Connection] = []
    private var vacant: [Int] = []

    /// Counts the requests of all threads of a server.
    final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
        var current: Int { value.load(ordering: .relaxed) }
    }

    init(_ listener: consuming BoundListener, counter: Counter) throws(KernelError) {
        self.counter = counter
        poller = try Poller(waker: Waker(), chunkSize: 16 * 1024)
        try poller.listen(listener, id: 0)
    }

    func run() -> Never {
        while true {
            poller.wait()
            while let completion = poller.next() { handle(completion) }
        }
    }

    private func handle(_ completion: Completion) {
        switch completion {
        case .accepted(_, let socket): adopt(socket)
        case .received(let socket): process(connections[socket.owner])
        case .sent(let socket): continueBody(connections[socket.owner])
        case .ended(let socket), .failed(let socket, _), .hungUp(let socket): close(connections[socket.owner])
        case .timer(let token):
            let connection = connections[token.owner]
            if connection.generation == token.generation, connection.delayed {
                connection.delayed = false
                answer(connection)
                process(connection)
            }
        case .connected, .secured, .woken: break
        }
    }

    private func adopt(_ socket: Socket) {
        let index: Int
        if let free = vacant.popLast() {
            index = free
        } else {
            index = connections.count
            connections.append(Connection())
        }
        socket.role = EchoServer.role
        socket.owner = index
        connections[index].socket = socket
    }

    private func close(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        let index = socket.owner
        poller.close(socket)
        connection.socket = nil
        connection.generation &+= 1
        connection.parser.reset()
        connection.skipped = .nothing
        connection.head = nil
        connection.delayed = false
        connection.remaining = 0
        connection.busy = false
        vacant.append(index)
    }

    private func process(_ connection: Connection) {
        while let socket = connection.socket, let inbox = socket.inbox, !inbox.isEmpty, !connection.busy {
            if connection.head == nil {
                guard readHead(connection, inbox) else { break }
            }
            guard skipBody(connection, inbox) else { break }
            connection.busy = true
            finishRequest(connection)
        }
        if let socket = connection.socket { poller.readMore(socket) }
    }

    private func readHead(_ connection: Connection, _ inbox: Chunk) -> Bool {
        switch connection.parser.parse(inbox.readable, into: table) {
        case .needMore: return false
        case .invalid:
            close(connection)
            return false
        case .head(let head):
            connection.head = EchoRequest(head, table, inbox.readable)
            connection.keepAlive = head.keepAlive
            connection.bodyLength = 0
            connection.skipped = BodySkip(head.framing)
            inbox.consume(head.length)
            if head.expectsContinue { send(connection, Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            return true
        }
    }

    /// Discards the request body. Returns whether it is complete.
    private func skipBody(_ connection: Connection, _ inbox: Chunk) -> Bool {
        guard let (used, length) = connection.skipped.take(inbox.readable) else {
            close(connection)
            return false
        }
        inbox.consume(used)
        connection.bodyLength += length
        return connection.skipped.isComplete
    }

    private func finishRequest(_ connection: Connection) {
        guard let request = connection.head, let socket = connection.socket else { return }
        if request.delayMilliseconds > 0 {
            connection.delayed = true
            let token = TimerToken(role: EchoServer.role, owner: socket.owner, generation: connection.generation)
            poller.schedule(token, at: poller.now + request.delayMilliseconds)
        } else {
            answer(connection)
        }
    }

    private func answer(_ connection: Connection) {
        guard let request = connection.head else { return }
        connection.head = nil
        if let count = request.byteCount {
            _ = counter.next()
            send(connection, EchoServer.head(request.status, count, "application/octet-stream"))
            connection.remaining = request.isHead ? 0 : count
            continueBody(connection)
            return
        }
        if let body = request.debugToken {
            send(connection, EchoServer.head(200, body.count, "application/json") + body)
            finish(connection)
            return
        }
        let number = request.isCount ? counter.current : counter.next()
        let body =
            request.isCount
            ? Array("\(number)\n".utf8) : request.json(number: number, bodyLength: connection.bodyLength)
        let type = request.isCount ? "text/plain" : "application/json"
        send(connection, EchoServer.head(request.status, body.count, type) + (request.isHead ? [] : body))
        finish(connection)
    }

    private func continueBody(_ connection: Connection) {
        guard connection.remaining > 0, let socket = connection.socket else {
            if connection.busy, connection.head == nil { finish(connection) }
            return
        }
        while connection.remaining > 0, socket.pendingBytes == 0 {
            let count = min(connection.remaining, EchoServer.block.count)
            connection.remaining -= count
            send(connection, Array(EchoServer.block[..<count]))
        }
        if connection.remaining == 0, socket.pendingBytes == 0 { finish(connection) }
    }

    private func finish(_ connection: Connection) {
        guard connection.busy, let socket = connection.socket else { return }
        connection.busy = false
        if !connection.keepAlive, socket.pendingBytes == 0 { close(connection) } else { poller.readMore(socket) }
        if connection.socket != nil, socket.unread > 0, !connection.delayed { process(connection) }
    }

    private func send(_ connection: Connection, _ bytes: [UInt8]) {
        guard let socket = connection.socket else { return }
        let chunk = poller.chunks.take()
        chunk.ensureFree(bytes.count)
        chunk.append(bytes)
        poller.send(socket, chunk)
    }

    private static func head(_ status: Int, _ length: Int, _ type: String) -> [UInt8] {
        Array(
            "HTTP/1.1 \(status) \(StatusReason.text(status))\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n"
                .utf8)
    }
}

/// Discards a request body.
enum BodySkip {
    case nothing
    case length(Int)
    case chunked(ChunkedDecoder)

    init(_ framing: BodyFraming) {
        switch framing {
        case .none, .untilClose, .length(0): self = .nothing
        case .length(let count): self = .length(count)
        case .chunked: self = .chunked(ChunkedDecoder())
        }
    }

    var isComplete: Bool {
        if case .nothing = self { return true }
        return false
    }

    /// Returns the number of bytes consumed and the number of content bytes among them; nil for invalid framing.
    mutating func take(_ bytes: Span<UInt8>) -> (used: Int, content: Int)? {
        switch self {
        case .nothing: return (0, 0)
        case .length(let remaining):
            let taken = min(remaining, bytes.count)
            self = taken == remaining ? .nothing : .length(remaining - taken)
            return (taken, taken)
        case .chunked(var decoder):
            var used = 0
            var content = 0
            while true {
                switch decoder.next(bytes.extracting(used...)) {
                case .needMore(let consumed):
                    self = .chunked(decoder)
                    return (used + consumed, content)
                case .data(let range, let consumed):
                    content += Int(range.count)
                    used += consumed
                case .trailer(_, let consumed): used += consumed
                case .end(let consumed):
                    self = .nothing
                    return (used + consumed, content)
                case .invalid: return nil
                }
            }
        }
    }
}
