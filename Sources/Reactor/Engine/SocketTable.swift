/// The sockets of a loop by place. Objects whose connections have ended are used again.
final class SocketTable {
    private var sockets: [Socket] = []
    private var vacant: [Int] = []

    subscript(_ place: Int) -> Socket { sockets[place] }

    /// A socket without a connection.
    func take() -> Socket {
        if let place = vacant.popLast() { return sockets[place] }
        let socket = Socket(index: sockets.count)
        // Taken out for the time of the change: a change in place would make every reading of the array on the hot path
        // pay for an exclusivity check.
        var table = sockets
        sockets = []
        table.append(socket)
        sockets = table
        return socket
    }

    func give(_ socket: Socket) { vacant.append(socket.index) }
}

@available(*, unavailable)
extension SocketTable: Sendable {}
