import Bytes
import CLinux
import Glibc

/// A blocking connection for commands: every call waits up to a time-out.
package struct BlockingConnection: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let timeoutMilliseconds: Int32

    /// The addresses of a host name or literal, in order of preference.
    package static func addresses(ofHost host: String, port: UInt16) -> [SocketAddress] {
        if let address = SocketAddress(literal: host, port: port) { return [address] }
        if case .addresses(let found) = NameLookup.answer(host, port: port) { return found }
        return []
    }

    package init(_ address: SocketAddress, timeoutMilliseconds: Int32) throws(KernelError) {
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(address.family)))
        let result = Kernel.connect(descriptor.number, address)
        if result < 0 {
            guard result == -EINPROGRESS else { throw KernelError(-result) }
            try BlockingConnection.check(clinux_wait_writable(descriptor.number, timeoutMilliseconds))
            let error = clinux_socket_error(descriptor.number)
            if error != 0 { throw KernelError(error) }
        }
        self.descriptor = descriptor
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Accepts a connection; nil if none arrives in time.
    ///
    /// - Parameters:
    ///   - waitMilliseconds: time limit; negative for none.
    ///   - timeoutMilliseconds: time-out of calls on the connection.
    package init?(
        accepting listener: borrowing BoundListener, waitMilliseconds: Int32, timeoutMilliseconds: Int32
    ) throws(KernelError) {
        let ready = clinux_wait_readable(listener.descriptor.number, waitMilliseconds)
        if ready == 0 || ready == -EINTR { return nil }
        _ = try Kernel.check(ready)
        let (result, _) = Kernel.accept(listener.descriptor.number)
        // Aborted connections do not count.
        if result == -EAGAIN || result == -ECONNABORTED || result == -EINTR { return nil }
        descriptor = Descriptor(try Kernel.check(result))
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Throws `EPERM` if the peer of a unix socket belongs to another user than this process.
    package borrowing func checkOwnUser() throws(KernelError) {
        var user: UInt32 = 0
        // SAFETY: the number outlives the call.
        _ = try Kernel.check(unsafe clinux_peer_user(descriptor.number, &user))
        guard user == clinux_user() else { throw KernelError(EPERM) }
    }

    /// Allows another thread to end the connection while this one waits.
    package borrowing func breaker() throws(KernelError) -> ConnectionBreaker {
        ConnectionBreaker(Descriptor(try Kernel.check(clinux_duplicate(descriptor.number))))
    }

    /// Sends the whole chunk.
    package func send(_ chunk: Chunk) throws(KernelError) {
        while chunk.count > 0 {
            let sent = Kernel.send(descriptor.number, chunk)
            if sent == -Int(EAGAIN) {
                try BlockingConnection.check(clinux_wait_writable(descriptor.number, timeoutMilliseconds))
            } else if sent < 0 {
                throw KernelError(Int32(-sent))
            }
        }
    }

    /// Receives into the free part of the chunk; returns the count, 0 at the end.
    package func receive(into chunk: Chunk) throws(KernelError) -> Int {
        while true {
            let received = Kernel.receive(descriptor.number, into: chunk)
            if received >= 0 { return received }
            guard received == -Int(EAGAIN) else { throw KernelError(Int32(-received)) }
            try BlockingConnection.check(clinux_wait_readable(descriptor.number, timeoutMilliseconds))
        }
    }

    private static func check(_ result: Int32) throws(KernelError) {
        if result == 0 { throw KernelError(ETIMEDOUT) }
        if result < 0, result != -EINTR { throw KernelError(-result) }
    }
}
