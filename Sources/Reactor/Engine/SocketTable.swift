/// The sockets of a loop by index. Objects are reused.
final class SocketTable {
    private var sockets: [Socket] = []
    private var vacant: [Int] = []

    subscript(_ place: Int) -> Socket { sockets[place] }

    /// A free socket.
    func take() -> Socket {
        if let place = vacant.popLast() { return sockets[place] }
        let socket = Socket(index: sockets.count)
        // Moved out and in again: mutation in place would need an exclusivity check at each read on the hot path.
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
