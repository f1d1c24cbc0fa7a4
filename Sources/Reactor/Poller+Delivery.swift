import CLinux

extension Poller {
    /// How many bytes, of those sent since the beginning of the connection, have arrived at the peer's kernel. Asks the
    /// kernel: for slow readers, not for every response.
    package func delivered(_ socket: Socket) -> Int {
        guard socket.descriptor >= 0 else { return 0 }
        return socket.sentBytes - Int(clinux_unacknowledged(socket.descriptor))
    }
}
