import CLinux

/// Listening and accepting.
extension Poller {
    /// Takes over a bound listener; connections come as `.accepted` with this id.
    package func listen(_ bound: consuming BoundListener, id: Int) throws(KernelError) {
        let listener = Listener(bound, id: id)
        // Not in place, which would put a check on every reading, with each wait.
        listeners = listeners + [listener]
        try engine.watch(listener, at: listeners.count - 1)
    }

    /// Closes all listeners with the given ids. Connections that the kernel has accepted already are taken first, and
    /// come as `.accepted` in this turn: their clients hold them for established. A socket that others share is let go
    /// of and nothing else.
    package func stopListening(where isIncluded: (Int) -> Bool) {
        for (index, listener) in listeners.enumerated() where !listener.isClosed && isIncluded(listener.id) {
            // One that rests for want of descriptors is not registered, and must not come back.
            if listener.registered { engine.unwatch(listener, at: index) }
            engine.letGoOfListeners()
            acceptRest(of: listener)
            listener.close()
        }
    }

    /// Connections of closed listeners have not been told yet: who ends its loop waits for them.
    package var hasLateArrivals: Bool { !lateArrivals.isEmpty }

    /// Bounded, since others may keep the queue of a shared socket filled.
    private func acceptRest(of listener: Listener) {
        // Out and in again: a change in place would put a check on every reading of the array, in each turn.
        var arrivals = lateArrivals
        lateArrivals = []
        for _ in 0..<BoundListener.usualBacklog {
            let (descriptor, peer) = Kernel.accept(listener.descriptor)
            if descriptor >= 0 {
                arrivals.append((listener.id, adopt(descriptor, peer: peer)))
            } else if !Poller.isOfTheConnection(descriptor) {
                break
            }
        }
        lateArrivals = arrivals
    }

    /// The connection that has waited longest at a closed listener.
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

    /// Whether accept has reported an error of one connection, behind which others may wait (accept(2), "Error handling").
    private static func isOfTheConnection(_ result: Int32) -> Bool {
        result != -EAGAIN && result != -EINVAL && result != -EBADF && !KernelError(-result).isOutOfDescriptors
    }

    /// Without descriptors a level-triggered listener would spin; it rests for a moment instead, as nginx and HAProxy let
    /// it. What waits stays in the kernel's queue: to accept and close would turn a delay into a failure.
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
        // No memory for it: a listener must not stay deaf for good.
        if isIncomplete { pauseListeners() }
    }
}
