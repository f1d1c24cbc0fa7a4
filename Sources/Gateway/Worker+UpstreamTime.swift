import Reactor

/// The time that upstreams have.
extension Worker {
    func setDeadline(_ upstream: UpstreamConnection, in milliseconds: Int64) {
        let deadline = poller.now + milliseconds
        upstream.deadline = deadline
        guard deadline < upstream.timerAt else { return }
        upstream.timerAt = deadline
        let token = TimerToken(role: Role.upstream, owner: upstream.index, generation: upstream.generation)
        poller.schedule(token, at: deadline)
    }

    func upstreamTimer(_ upstream: UpstreamConnection) {
        guard upstream.timerAt <= poller.now else { return }
        upstream.timerAt = .max
        if upstream.deadline > poller.now {
            if upstream.deadline != .max { setDeadline(upstream, in: upstream.deadline - poller.now) }
            return
        }
        guard let exchange = upstream.exchange else {
            endUnused(upstream)
            return
        }
        if exchange.lastingPlace >= 0 {
            cut(exchange, .idle)
            return
        }
        streamTimedOut(upstream)
        fail(exchange, upstream.phase == .connecting ? .connectTimedOut : .responseTimedOut)
    }
}
