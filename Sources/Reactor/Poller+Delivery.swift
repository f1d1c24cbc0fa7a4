import CLinux

extension Poller {
    /// Bytes of the connection that the peer's kernel has acknowledged. A system call: for slow readers, not for every
    /// response.
    package func delivered(_ socket: Socket) -> Int {
        guard socket.descriptor >= 0 else { return 0 }
        return socket.sentBytes - Int(clinux_unacknowledged(socket.descriptor))
    }
}
