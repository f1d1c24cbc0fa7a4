import Reactor

/// Connections that the gateway makes for itself and not for an exchange: active checks, the server that keeps tokens.
extension Worker {
    func ownReceived(_ socket: Socket) {
        if socket.role == Role.redis { redisReceived(socket) } else { checkReceived(healthChecks[socket.owner]) }
    }

    func ownConnected(_ socket: Socket) {
        if socket.role == Role.redis { redisConnected(socket) } else { checkConnected(healthChecks[socket.owner]) }
    }

    /// It has ended, is broken, or was not to be had.
    func ownBroke(_ socket: Socket) {
        if socket.role == Role.redis {
            redisBroke(socket)
        } else {
            conclude(healthChecks[socket.owner], isGood: false)
        }
    }
}
