import HTTP
import Reactor

/// How a worker comes to its end: no new connections, the last answers of those that are there.
extension Worker {
    /// Stops accepting, ends idle connections, and waits for the rest up to the limit (GW-11).
    ///
    /// - Parameter keepingIdle: a connection ends with the answer to its next request, or by its idle time: one that is
    ///   closed while idle may just be getting a request (RFC 9112 section 9.5).
    func drain(keepingIdle: Bool) {
        if !isDraining { beginDraining() }
        if !keepingIdle { frontend.endIdle() }
    }

    private func beginDraining() {
        context.isDraining = true
        poller.stopListening { _ in true }
        frontend.beginFarewells()
        let token = TimerToken(role: Role.drainDeadline, owner: 0)
        poller.schedule(token, at: poller.now + snapshot.limits.drainTimeout)
    }

    /// At the end of a turn while the worker drains: whether all has come that it has waited for.
    func finishIfIdle() {
        if frontend.clients.used == 0, !poller.hasLateArrivals, redis?.isIdle != false { isFinished = true }
    }
}
