/// A TCP connection that sends exactly the bytes it is given and shows exactly those that come back.
final class RawConnection {
    let socket: TCPSocket
    /// Applies to every following call, for its whole duration.
    var patience: Duration = .seconds(20)
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ socket: TCPSocket) { self.socket = socket }

    /// Connects to a port of 127.0.0.1.
    convenience init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        self.init(try TCPSocket.connect(port: port, receiveBuffer: receiveBuffer))
    }

    func send(_ bytes: [UInt8]) throws { try socket.send(bytes, .after(patience)) }
    func send(_ text: String) throws { try socket.send(text.utf8, .after(patience)) }

    /// Sends in pieces of `size` bytes, each in a segment of its own as far as the kernel has it.
    func send(_ text: String, piecesOf size: Int) throws {
        let bytes = Array(text.utf8)
        for first in stride(from: 0, to: bytes.count, by: size) {
            try send(Array(bytes[first..<min(first + size, bytes.count)]))
        }
    }

    /// The bytes up to and including `mark`; nil if the stream ends before the first of them.
    func receive(through mark: String) throws -> [UInt8]? {
        let deadline = Deadline.after(patience)
        let mark = Array(mark.utf8)
        var searched = start
        while true {
            var at = max(start, searched - mark.count + 1)
            while at + mark.count <= buffer.count {
                if buffer[at] == mark[0] && buffer[at..<(at + mark.count)].elementsEqual(mark) {
                    return take(at + mark.count - start)
                }
                at += 1
            }
            searched = buffer.count
            guard try fill(deadline) else {
                if start == buffer.count { return nil }
                throw SocketError.ended("before \(String(decoding: mark, as: UTF8.self).debugDescription)")
            }
        }
    }

    /// Exactly `count` bytes.
    func receive(count: Int) throws -> [UInt8] {
        let deadline = Deadline.after(patience)
        while buffer.count - start < count {
            guard try fill(deadline) else { throw SocketError.ended("\(buffer.count - start) of \(count) bytes") }
        }
        return take(count)
    }

    /// What is there or comes next, at least one byte and at most `limit`; empty at the end of the stream.
    func receiveSome(_ limit: Int = 65_536) throws -> [UInt8] {
        if start == buffer.count { guard try fill(.after(patience)) else { return [] } }
        return take(min(limit, buffer.count - start))
    }

    /// Everything up to the end of the stream.
    func receiveToEnd() throws -> [UInt8] {
        let deadline = Deadline.after(patience)
        while try fill(deadline) {}
        return take(buffer.count - start)
    }

    /// Whether the peer has closed, orderly or by reset, with nothing left to read, within the time given.
    func isClosed(within duration: Duration = .seconds(20)) -> Bool {
        guard start == buffer.count else { return false }
        do {
            return try !fill(.after(duration))
        } catch {
            return error as? SocketError == .reset
        }
    }

    /// Whether nothing has come yet; does not wait.
    var isSilent: Bool {
        start == buffer.count && (try? fill(.after(.zero))) == nil
    }

    private func fill(_ deadline: Deadline) throws -> Bool {
        let more = try socket.receive(65_536, deadline)
        buffer += more
        return !more.isEmpty
    }

    private func take(_ count: Int) -> [UInt8] {
        let taken = Array(buffer[start..<(start + count)])
        start += count
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        return taken
    }
}
