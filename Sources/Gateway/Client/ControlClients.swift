import Reactor

/// Connections of the admin and monitoring listeners. They are exempt from the general connection limit, so that an
/// operator can connect when it is reached.
final class ControlClients {
    /// Maximum number of connections per such listener.
    private static let maximum = 64
    /// Additional connections while all others have a request in progress; for health and readiness only.
    private static let reserve = 16

    /// Oldest first.
    private var clients: [ClientConnection] = []

    var count: Int { clients.count }

    func add(_ client: ClientConnection) { clients.append(client) }

    func remove(_ client: ClientConnection) { clients.removeAll { $0 === client } }

    /// If there are too many, the connection that has been idle longest, to be closed in favour of another: idle
    /// connections must not keep probes out.
    func inTheWay(of listener: Int) -> ClientConnection? {
        count(listener) >= ControlClients.maximum ? longestIdle(listener) : nil
    }

    /// Whether the listener may accept another connection.
    func hasRoom(_ listener: Int) -> Bool { count(listener) < ControlClients.maximum + ControlClients.reserve }

    /// Whether only the reserve of the listener's connections is left.
    func isCrowded(_ listener: Int) -> Bool { count(listener) > ControlClients.maximum }

    private func count(_ listener: Int) -> Int { clients.count { $0.listener == listener } }

    /// An idle connection; one that has taken its answers takes precedence.
    private func longestIdle(_ listener: Int) -> ClientConnection? {
        let idle = clients.filter { $0.listener == listener && $0.exchange == nil && $0.exchanges.isEmpty }
        let settled = idle.filter { $0.socket?.pendingBytes == 0 }
        return (settled.isEmpty ? idle : settled).min { $0.idleSince < $1.idleSince }
    }
}
