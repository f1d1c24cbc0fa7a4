import Bytes
import CLinux

/// Sending at once if the kernel accepts it, otherwise later.
extension Poller {
    /// Sends a chunk, now or when the peer accepts it, and takes ownership of it. A broken connection is reported as
    /// `.failed`.
    package func send(_ socket: Socket, _ chunk: Chunk) {
        guard socket.descriptor >= 0, socket.failure == 0, !chunk.isEmpty else {
            chunks.give(chunk)
            return
        }
        if let stream = socket.stream { return send(socket, through: stream, chunk, nil) }
        if socket.outboxCount == 0, !socket.connecting {
            let requested = chunk.count
            attempt(socket, Kernel.send(socket.descriptor, chunk), of: requested)
        }
        keep(chunk, for: socket)
    }

    /// Sends two chunks, in one system call if possible, and takes ownership of both.
    package func send(_ socket: Socket, _ first: Chunk, _ second: Chunk) {
        if let stream = socket.stream, socket.failure == 0 { return send(socket, through: stream, first, second) }
        guard socket.descriptor >= 0, socket.failure == 0, socket.outboxCount == 0, !socket.connecting else {
            send(socket, first)
            send(socket, second)
            return
        }
        let requested = first.count + second.count
        attempt(socket, Kernel.send(socket.descriptor, first, second), of: requested)
        keep(first, for: socket)
        keep(second, for: socket)
    }

    /// Handles the result of a send.
    func attempt(_ socket: Socket, _ result: Int, of requested: Int) {
        count(sent: result, of: requested)
        if result > 0 { socket.sentBytes &+= result }
        if result < 0, result != -Int(EAGAIN) {
            socket.failure = Int32(-result)
            queue(socket)
        }
    }

    func keep(_ chunk: Chunk, for socket: Socket) {
        guard !chunk.isEmpty, socket.failure == 0 else {
            chunks.give(chunk)
            return
        }
        socket.outboxCount += chunk.count
        if let last = socket.outbox.last, !last.isHeld, last.free >= chunk.count {
            // Small pieces share a buffer, since a buffer for each would need a thousand times the memory.
            last.append(chunk.readable)
            chunks.give(chunk)
        } else {
            socket.outbox.append(chunk)
        }
        engine.awaitRoom(socket)
    }

    func flush(_ socket: Socket) {
        while let chunk = socket.outbox.first {
            let before = chunk.count
            let second = socket.outbox.count > 1 ? socket.outbox[1] : nil
            let total = before + (second?.count ?? 0)
            let sent = second.map { Kernel.send(socket.descriptor, chunk, $0) } ?? Kernel.send(socket.descriptor, chunk)
            attempt(socket, sent, of: total)
            if socket.failure == 0, sent < total { engine.awaitRoom(socket) }
            if sent < 0 { return }
            socket.outboxCount -= sent
            while let head = socket.outbox.first, head.isEmpty {
                socket.outbox.removeFirst()
                chunks.give(head)
            }
            if sent < total { return }
        }
    }
}
