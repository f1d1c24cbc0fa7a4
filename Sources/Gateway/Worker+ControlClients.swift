import Reactor

/// Connections of the admin listener and of listeners for monitoring. They do not count for the limit of the others,
/// which an operator may want to look at just because it is reached.
extension Worker {
    /// Connections of one such listener.
    static let maximumControlClients = 64
    /// Connections beyond, where all of these have a request under way: they are for health and readiness alone.
    static let controlReserve = 16

    func role(ofListener listener: Int) -> ListenerSettings.Role {
        shared.isAdmin(listener: listener) ? .admin : snapshot.listener(listener)?.role ?? .proxy
    }

    /// Whether one more connection may come by the listener. Where there are too many, those that have waited for
    /// a request for the longest are closed for it: held open, they would keep probes out.
    func hasControlRoom(_ listener: Int) -> Bool {
        while count(listener) >= Worker.maximumControlClients, let client = longestIdle(listener) {
            closeClient(client)
        }
        return count(listener) < Worker.maximumControlClients + Worker.controlReserve
    }

    /// Whether the listener's connections are in use but for the reserve.
    func isCrowded(_ listener: Int) -> Bool { count(listener) > Worker.maximumControlClients }

    private func count(_ listener: Int) -> Int { controlClients.count { $0.listener == listener } }

    /// A connection without a request under way; one that has taken its answers before one that has not.
    private func longestIdle(_ listener: Int) -> ClientConnection? {
        let idle = controlClients.filter { $0.listener == listener && $0.exchange == nil && $0.exchanges.isEmpty }
        let settled = idle.filter { $0.socket?.pendingBytes == 0 }
        return (settled.isEmpty ? idle : settled).min { $0.idleSince < $1.idleSince }
    }
}
