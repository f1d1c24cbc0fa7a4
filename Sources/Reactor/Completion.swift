/// What has happened. The poller did the system call already: bytes stand in the socket's inbox, a send is over.
package enum Completion {
    /// A connection was accepted; it must be adopted with a role, or closed.
    case accepted(listener: Int, Socket)
    /// Bytes were appended to the socket's inbox.
    case received(Socket)
    /// The peer sent its last byte.
    case ended(Socket)
    /// All that was waiting to be sent has been taken by the kernel.
    case sent(Socket)
    /// A connect has succeeded.
    case connected(Socket)
    /// The handshake of the socket's filter is over: what follows speaks of the bytes within.
    case secured(Socket)
    /// The connection is broken, its filter has failed (`EPROTO`) or was cut off while it opened, or a connect was refused; the socket must be closed.
    case failed(Socket, KernelError)
    /// The peer hung up while reading was paused.
    case hungUp(Socket)
    /// The waker was used: the mailbox has something.
    case woken
    /// A timer of the wheel is due.
    case timer(TimerToken)
}
