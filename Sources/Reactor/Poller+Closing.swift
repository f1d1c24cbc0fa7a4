import Bytes
import CLinux

/// Ending connections.
extension Poller {
    /// Closes; unsent bytes are dropped. With `reset` the peer gets an RST instead of a FIN.
    ///
    /// The socket is free at once. Where the kernel holds much for it, the peer hears of it at the end of this turn or of a
    /// later one: to give some megabytes back takes the kernel hundreds of microseconds, which a hundred slow readers whose
    /// time is up at once would make others wait for.
    package func close(_ socket: Socket, reset: Bool = false) {
        guard socket.descriptor >= 0 else { return }
        if let stream = socket.stream {
            if !reset { finishStream(socket, stream) }
            discard(stream)
        }
        engine.leave(socket)
        let isHeavy = socket.outboxCount > 0 || socket.readable || socket.readingPaused
        if isHeavy || !close(socket.descriptor, reset: reset) {
            // Out and in again, as in all lists of the loop.
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

    /// Answers false where a ring takes nothing at the moment: what it was asked about the number must not meet another
    /// connection that has got it since.
    private func close(_ descriptor: Int32, reset: Bool) -> Bool {
        if reset { _ = clinux_linger_reset(descriptor) }
        return engine.close(descriptor)
    }

    /// Closes those that have waited longest, one at least, until their share is used up. Called between turns.
    func closeSome() {
        guard !closings.isEmpty else { return }
        var waiting = closings
        closings = []
        let began = Clock.monotonicMicroseconds
        let share = Backlog.share(at: began, turnBegunAt: turnBegunAt)
        var closed = 0
        repeat {
            guard close(waiting[closed].descriptor, reset: waiting[closed].reset) else { break }
            // Each takes its time within the share.
            engine.submit()
            closed += 1
        } while closed < waiting.count && Clock.monotonicMicroseconds - began < share
        waiting.removeFirst(closed)
        closings = waiting
    }

    /// Says to the peer that nothing more comes. At once: whoever has bytes waiting calls it when they are `.sent`.
    package func shutdownSending(_ socket: Socket) {
        guard socket.descriptor >= 0 else { return }
        if let stream = socket.stream { finishStream(socket, stream) }
        _ = clinux_shutdown_write(socket.descriptor)
    }
}
