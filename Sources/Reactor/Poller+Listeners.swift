import CLinux

/// Listening and accepting.
extension Poller {
    /// Takes ownership of a bound listener, whose connections are reported as `.accepted` with this id.
    package func listen(_ bound: consuming BoundListener, id: Int) throws(KernelError) {
        let listener = Listener(bound, id: id)
        // Not in place, which would need an exclusivity check at each read.
        listeners = listeners + [listener]
        try engine.watch(listener, at: listeners.count - 1)
    }

    /// Closes the listeners with the given ids. Connections in their queues are accepted first and reported in this
    /// turn, since they are established for the clients. Shared sockets are only released.
    package func stopListening(where isIncluded: (Int) -> Bool) {
        for (index, listener) in listeners.enumerated() where !listener.isClosed && isIncluded(listener.id) {
            // A listener that is paused for lack of descriptors is not registered and must not be resumed.
            if listener.registered { engine.unwatch(listener, at: index) }
            engine.releaseListeners()
            acceptRest(of: listener)
            listener.close()
        }
    }

    /// Whether connections of closed listeners are unreported; a loop must not end before.
    package var hasLateArrivals: Bool { !lateArrivals.isEmpty }

    /// Bounded, since the queue of a shared socket may never become empty.
    private func acceptRest(of listener: Listener) {
        // Moved out and in again, as all lists of the loop.
        var arrivals = lateArrivals
        lateArrivals = []
        for _ in 0..<BoundListener.defaultBacklog {
            let (descriptor, peer) = Kernel.accept(listener.descriptor)
            if descriptor >= 0 {
                arrivals.append((listener.id, adopt(descriptor, peer: peer)))
            } else if !Poller.isConnectionError(descriptor) {
                break
            }
        }
        lateArrivals = arrivals
    }

    /// The next connection of a closed listener.
    func nextLateArrival() -> Completion? {
        guard lateCursor < lateArrivals.count else { return nil }
        let (listener, socket) = lateArrivals[lateCursor]
        lateCursor += 1
        if lateCursor == lateArrivals.count {
            lateArrivals = []
            lateCursor = 0
        }
        return .accepted(listener: listener, socket)
    }

    func accept(_ listener: Listener) -> Completion? {
        while listener.acceptedInTurn < Poller.acceptsPerTurn, listener.registered {
            listener.acceptedInTurn += 1
            let (descriptor, peer) = Kernel.accept(listener.descriptor)
            if descriptor >= 0 { return .accepted(listener: listener.id, adopt(descriptor, peer: peer)) }
            if descriptor == -EAGAIN { return nil }
            if KernelError(-descriptor).isOutOfDescriptors {
                pauseListeners()
                return nil
            }
        }
        return nil
    }

    /// Whether an error of accept concerns one connection, after which others may follow (accept(2), "Error handling").
    private static func isConnectionError(_ result: Int32) -> Bool {
        result != -EAGAIN && result != -EINVAL && result != -EBADF && !KernelError(-result).isOutOfDescriptors
    }

    /// Pauses listeners without free descriptors for a moment, like nginx and HAProxy: level-triggered, they would
    /// spin. Connections stay in the kernel's queue, since accepting and closing them would turn a delay into a
    /// failure.
    func pauseListeners() {
        acceptsPostponed &+= 1
        listenersPausedUntil = now + 100
        for (index, listener) in listeners.enumerated() where listener.registered {
            engine.unwatch(listener, at: index)
        }
        timers.schedule(TimerToken(role: .max, owner: 0), at: listenersPausedUntil)
    }

    func resumeListeners() {
        guard listenersPausedUntil != 0, now >= listenersPausedUntil else { return }
        listenersPausedUntil = 0
        var isIncomplete = false
        for (index, listener) in listeners.enumerated() where !listener.registered && !listener.isClosed {
            do { try engine.watch(listener, at: index) } catch { isIncomplete = true }
        }
        // Out of memory: the listener is retried later.
        if isIncomplete { pauseListeners() }
    }
}
