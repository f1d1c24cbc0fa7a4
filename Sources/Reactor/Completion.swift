/// A completed operation: received bytes are already in the socket's inbox, sent bytes in the kernel.
package enum Completion {
    /// A connection was accepted; the owner assigns a role or closes it.
    case accepted(listener: Int, Socket)
    /// Bytes were appended to the socket's inbox.
    case received(Socket)
    /// The peer has ended its side.
    case ended(Socket)
    /// The kernel has taken all pending bytes.
    case sent(Socket)
    /// A connect has succeeded.
    case connected(Socket)
    /// The handshake of the socket's filter is complete; later completions are about decrypted bytes.
    case secured(Socket)
    /// The connection or its filter has failed (`EPROTO`), or a connect was refused; the socket must be closed.
    case failed(Socket, KernelError)
    /// The peer hung up while reading was paused.
    case hungUp(Socket)
    /// The waker was used: the mailbox has messages.
    case woken
    /// A timer of the wheel is due.
    case timer(TimerToken)
}
