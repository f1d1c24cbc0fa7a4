import CLinux

/// Listening and accepting.
extension Poller {
    /// Takes over a bound listener; connections come as `.accepted` with this id.
    package func listen(_ bound: consuming BoundListener, id: Int) throws(KernelError) {
        let listener = Listener(bound, id: id)
        listeners.append(listener)
        try register(listener, at: listeners.count - 1)
    }

    func register(_ listener: Listener, at index: Int) throws(KernelError) {
        let data = Poller.listenerFlag | UInt64(index)
        _ = try Kernel.check(clinux_epoll_add(epoll.number, listener.descriptor.number, CLINUX_IN, data))
        listener.registered = true
    }

    /// Closes all listeners with the given ids; connections in their queues are refused by the kernel.
    package func stopListening(where isIncluded: (Int) -> Bool) {
        for listener in listeners where !listener.closed && isIncluded(listener.id) {
            // One that rests for want of descriptors is not registered, and must not come back.
            if listener.registered { _ = clinux_epoll_remove(epoll.number, listener.descriptor.number) }
            _ = clinux_stop_listening(listener.descriptor.number)
            listener.registered = false
            listener.closed = true
        }
    }

    func accept(_ listener: Listener) -> Completion? {
        while listener.acceptedInTurn < Poller.acceptsPerTurn, listener.registered {
            listener.acceptedInTurn += 1
            let (descriptor, peer) = Kernel.accept(listener.descriptor.number)
            if descriptor >= 0 { return .accepted(listener: listener.id, adopt(descriptor, peer: peer)) }
            if descriptor == -EAGAIN { return nil }
            if KernelError(-descriptor).isOutOfDescriptors {
                pauseListeners()
                return nil
            }
        }
        return nil
    }

    /// Without descriptors a level-triggered listener would spin; it rests for a moment instead.
    func pauseListeners() {
        listenersPausedUntil = now + 100
        for listener in listeners where listener.registered {
            _ = clinux_epoll_remove(epoll.number, listener.descriptor.number)
            listener.registered = false
        }
        timers.schedule(TimerToken(role: .max, owner: 0, generation: 0), at: listenersPausedUntil)
    }

    func resumeListeners() {
        guard listenersPausedUntil != 0, now >= listenersPausedUntil else { return }
        listenersPausedUntil = 0
        var isIncomplete = false
        for (index, listener) in listeners.enumerated() where !listener.registered && !listener.closed {
            do { try register(listener, at: index) } catch { isIncomplete = true }
        }
        // No memory for it: a listener must not stay deaf for good.
        if isIncomplete { pauseListeners() }
    }
}
