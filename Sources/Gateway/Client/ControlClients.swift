import Reactor

/// Connections of the admin listener and of listeners for monitoring. They do not count for the limit of the others,
/// which an operator may want to look at just because it is reached.
final class ControlClients {
    /// Connections of one such listener.
    private static let maximum = 64
    /// Connections beyond, where all of these have a request under way: they are for health and readiness alone.
    private static let reserve = 16

    /// The oldest first.
    private var clients: [ClientConnection] = []

    var count: Int { clients.count }

    func add(_ client: ClientConnection) { clients.append(client) }

    func remove(_ client: ClientConnection) { clients.removeAll { $0 === client } }

    /// Where there are too many, the one that has waited for a request for the longest, to be closed for another: held
    /// open, it would keep probes out.
    func inTheWay(of listener: Int) -> ClientConnection? {
        count(listener) >= ControlClients.maximum ? longestIdle(listener) : nil
    }

    /// Whether one more connection may come by the listener.
    func hasRoom(_ listener: Int) -> Bool { count(listener) < ControlClients.maximum + ControlClients.reserve }

    /// Whether the listener's connections are in use but for the reserve.
    func isCrowded(_ listener: Int) -> Bool { count(listener) > ControlClients.maximum }

    private func count(_ listener: Int) -> Int { clients.count { $0.listener == listener } }

    /// A connection without a request under way; one that has taken its answers before one that has not.
    private func longestIdle(_ listener: Int) -> ClientConnection? {
        let idle = clients.filter { $0.listener == listener && $0.exchange == nil && $0.exchanges.isEmpty }
        let settled = idle.filter { $0.socket?.pendingBytes == 0 }
        return (settled.isEmpty ? idle : settled).min { $0.idleSince < $1.idleSince }
    }
}
