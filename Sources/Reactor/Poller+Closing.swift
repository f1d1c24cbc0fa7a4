import Bytes
import CLinux

/// Closing connections.
extension Poller {
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
        let share = Backlog.share(at: began, turnBegunAt: turnBegunAt)
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
