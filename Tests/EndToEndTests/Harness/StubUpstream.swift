import Foundation

/// A request as the stub received it.
struct RecordedRequest: Sendable {
    let head: MessageHead
    /// The body without its framing, unless the route said not to keep it.
    let body: [UInt8]
    /// Length of the body, also where it was not kept.
    let bodyCount: Int
    let trailers: [Field]
    /// Which of the stub's connections it came on, counted from 0.
    let connection: Int

    var method: String { head.startWords.first ?? "" }
    var target: String { head.startWords.count > 1 ? head.startWords[1] : "" }
    /// The target without its query.
    var path: String { String(target.prefix { $0 != "?" }) }
    func values(_ name: String) -> [String] { head.values(name) }
    func only(_ name: String) -> String? { head.only(name) }
}

/// An HTTP/1.1 server under the test's control: it answers as scripted, misbehaves when told, counts and remembers.
///
/// One thread listens and one serves each connection. It ends with `stop`, or when it is released.
final class StubUpstream: Sendable {
    /// What a route does with the body before it answers.
    enum BodyUse: Sendable {
        case keep, discard
        /// Answer at once, and leave the body in the socket.
        case leave
    }

    /// What the stub does for a request, one after the other. A script that ends without `close` or `reset` keeps the
    /// connection for the next request.
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// `count` bytes in pieces of 64 KiB.
        case stream(count: Int)
        /// Until the test opens the gate.
        case wait(Gate)
        /// Counts how far the script has come.
        case counted(Monitor<Int>)
        /// An upstream that is slow by nature; to synchronise, use a gate.
        case pause(Duration)
        case close
        case reset

        /// A response with a `Content-Length`.
        static func reply(_ status: String = "200 OK", _ fields: [Field] = [], body: String = "") -> Step {
            let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
            return .send("HTTP/1.1 \(status)\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    typealias Script = @Sendable (RecordedRequest) -> [Step]

    private struct State: Sendable {
        var routes: [String: (use: BodyUse, script: Script)] = [:]
        var requests: [RecordedRequest] = []
        var open: [Int: TCPSocket] = [:]
        var accepted = 0
        var isStopped = false
    }

    private let listener: TCPSocket
    private let state = Monitor(State())
    let port: UInt16

    /// Listens on a port of 127.0.0.1, which the kernel chooses unless one is given.
    init(port: UInt16 = 0) throws {
        listener = try TCPSocket.listen(port: port)
        self.port = listener.port
        let (listener, state) = (listener, state)
        Thread.detachNewThread { Self.acceptAll(listener, state) }
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Scripts the answer for a path; without a script the answer is 200 with the path as body.
    func on(_ path: String, body use: BodyUse = .keep, _ script: @escaping Script) {
        state.withLock { $0.routes[path] = (use, script) }
    }

    /// All requests so far, in the order in which they were complete.
    var requests: [RecordedRequest] { state.current.requests }
    /// Connections accepted so far.
    var connectionCount: Int { state.current.accepted }
    /// Connections that are open now.
    var openConnectionCount: Int { state.current.open.count }

    func requests(_ path: String) -> [RecordedRequest] { requests.filter { $0.path == path } }

    /// Waits until there are at least `count` requests for the path; answers those there are when the time is up.
    @discardableResult
    func waitForRequests(_ count: Int, _ path: String, _ deadline: Deadline = .usual) -> [RecordedRequest] {
        _ = state.wait(deadline) { $0.requests.count(where: { $0.path == path }) >= count ? true : nil }
        return requests(path)
    }

    /// Waits until exactly `count` connections are open; answers whether that came about.
    func waitForOpenConnections(_ count: Int, _ deadline: Deadline = .usual) -> Bool {
        state.wait(deadline) { $0.open.count == count ? true : nil } ?? false
    }

    /// Closes the connections that are open, as an upstream does that tidies up its idle ones.
    func closeConnections() {
        for socket in state.current.open.values { socket.interrupt() }
    }

    /// Stops listening and ends all connections; the port then refuses.
    func stop() {
        let open = state.withLock { state in
            state.isStopped = true
            return Array(state.open.values)
        }
        listener.interrupt()
        for socket in open { socket.interrupt() }
        listener.close()
    }

    private static func acceptAll(_ listener: TCPSocket, _ state: Monitor<State>) {
        while !state.current.isStopped {
            guard let socket = listener.accept(.after(.seconds(3600))) else { return }
            let number = state.withLock { state in
                state.open[state.accepted] = socket
                state.accepted += 1
                return state.accepted - 1
            }
            Thread.detachNewThread {
                try? serve(socket, number, state)
                socket.close()
                _ = state.withLock { $0.open.removeValue(forKey: number) }
            }
        }
    }

    private static func serve(_ socket: TCPSocket, _ number: Int, _ state: Monitor<State>) throws {
        let connection = RawConnection(socket)
        connection.patience = .seconds(3600)
        while let head = try connection.readHead() {
            let target = head.startWords.count > 1 ? head.startWords[1] : ""
            let route = state.current.routes[String(target.prefix { $0 != "?" })]
            let request = try read(head, route?.use ?? .keep, connection, number)
            state.withLock { $0.requests.append(request) }
            let steps = route?.script(request) ?? [.reply(body: request.path)]
            for step in steps {
                guard try perform(step, connection) else { return }
            }
        }
    }

    private static func read(
        _ head: MessageHead, _ use: BodyUse, _ connection: RawConnection, _ number: Int
    ) throws -> RecordedRequest {
        var body: [UInt8] = []
        var count = 0
        var trailers: [Field] = []
        if use != .leave {
            if head.only("Expect")?.lowercased() == "100-continue" {
                try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            }
            let isChunked = head.values("Transfer-Encoding").last?.lowercased() == "chunked"
            let end: BodyEnd = isChunked ? .chunked : .length(Int(head.only("Content-Length") ?? "0") ?? 0)
            trailers = try connection.readBody(end) { piece in
                count += piece.count
                if use == .keep { body += piece }
            }
        }
        return RecordedRequest(head: head, body: body, bodyCount: count, trailers: trailers, connection: number)
    }

    /// Answers whether the connection goes on.
    private static func perform(_ step: Step, _ connection: RawConnection) throws -> Bool {
        switch step {
        case .send(let text): try connection.send(text)
        case .sendBytes(let bytes): try connection.send(bytes)
        case .stream(let count):
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
            var left = count
            while left > 0 {
                try connection.send(left >= piece.count ? piece : Array(piece[..<left]))
                left -= min(left, piece.count)
            }
        case .wait(let gate): gate.pass()
        case .counted(let count): count.withLock { $0 += 1 }
        case .pause(let duration):
            Thread.sleep(
                forTimeInterval: Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
        case .close: return false
        case .reset:
            connection.socket.reset()
            return false
        }
        return true
    }
}
