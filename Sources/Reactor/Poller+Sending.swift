import Bytes
import CLinux

/// Sending at once if the kernel accepts it, otherwise later; and closing.
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
        counted.count(sent: result, of: requested)
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

    /// Bytes of the connection that the peer's kernel has acknowledged. A system call: for slow readers, not for every
    /// response.
    package func delivered(_ socket: Socket) -> Int {
        guard socket.descriptor >= 0 else { return 0 }
        return socket.sentBytes - Int(clinux_unacknowledged(socket.descriptor))
    }

    // MARK: Closing

    /// Closes; unsent bytes are dropped. With `reset` the peer gets an RST instead of a FIN.
    ///
    /// The socket is free at once. With large kernel buffers, the close itself happens at the end of this turn or a
    /// later one: freeing megabytes takes the kernel hundreds of microseconds, so that a hundred slow readers with the
    /// same deadline would delay others.
    package func close(_ socket: Socket, reset: Bool = false) {
        guard socket.descriptor >= 0 else { return }
        if let stream = socket.stream {
            if !reset { finishStream(socket, stream) }
            discard(stream)
        }
        engine.detach(socket)
        let isHeavy = socket.outboxCount > 0 || socket.readable || socket.readingPaused
        if isHeavy || !close(socket.descriptor, reset: reset) {
            // Moved out and in again, as all lists of the loop.
            var waiting = closings
            closings = []
            waiting.append((socket.descriptor, reset))
            closings = waiting
        }
        if current == socket.index { current = -1 }
        if let chunk = socket.received { chunks.give(chunk) }
        socket.received = nil
        for chunk in socket.outbox { chunks.give(chunk) }
        socket.outbox.removeAll(keepingCapacity: true)
        socket.outboxCount = 0
        socket.reset()
        socket.queued = false
        sockets.give(socket)
    }

    /// Returns false if the ring accepts nothing at the moment: its pending requests must not reach a later connection
    /// with the same descriptor.
    private func close(_ descriptor: Int32, reset: Bool) -> Bool {
        if reset { _ = clinux_linger_reset(descriptor) }
        return engine.close(descriptor)
    }

    /// Closes queued connections within a share, at least one. Called between turns.
    func closeSome() {
        guard !closings.isEmpty else { return }
        var waiting = closings
        closings = []
        let began = Clock.monotonicMicroseconds
        let share = Backlog.share(at: began, inTurnOf: turnBegunAt)
        var closed = 0
        repeat {
            guard close(waiting[closed].descriptor, reset: waiting[closed].reset) else { break }
            // Each close counts against the share.
            engine.submit()
            closed += 1
        } while closed < waiting.count && Clock.monotonicMicroseconds - began < share
        waiting.removeFirst(closed)
        closings = waiting
    }

    /// Ends the sending side at once. Owners with pending bytes call it after `.sent`.
    package func shutdownSending(_ socket: Socket) {
        guard socket.descriptor >= 0 else { return }
        if let stream = socket.stream { finishStream(socket, stream) }
        _ = clinux_shutdown_write(socket.descriptor)
    }
}
