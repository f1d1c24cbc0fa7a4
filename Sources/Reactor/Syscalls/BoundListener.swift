import CLinux
import Glibc
import Model

/// A bound and listening socket that has no loop yet, so that binding errors are known before workers start.
package struct BoundListener: ~Copyable, Sendable {
    let descriptor: Descriptor
    /// The address with the port that the kernel chose where 0 was asked for.
    package let address: SocketAddress
    /// Other loops or processes accept from the same socket.
    let isShared: Bool

    /// How many connections wait to be accepted before the kernel refuses more.
    package static let usualBacklog: Int32 = 4096
    /// Bytes that the kernel holds for a connection beyond what its window lets go. Without a bound a client that reads
    /// slowly makes it hold megabytes in thousands of small segments, and takes milliseconds to give them back in one call.
    static let unsentLimit: Int32 = 256 * 1024

    /// Binds an IP address with `SO_REUSEPORT`, so that every worker has a listener of its own on one port (an IPv6
    /// listener takes no IPv4 connection), or a unix socket, whose file may have been left by a process that is gone.
    ///
    /// - Parameter mode: permissions of the file of a unix socket; nil leaves them to the umask.
    package init(_ wanted: SocketAddress, backlog: Int32 = usualBacklog, mode: UInt32? = nil) throws(KernelError) {
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(wanted.family)))
        if let path = wanted.unixPath {
            // The file gets no permission, not even for a moment, that it is not to have.
            if let mode { _ = try Kernel.check(clinux_set_mode(descriptor.number, mode)) }
            try SocketFile.removeStale(wanted)
            try Kernel.bind(descriptor.number, wanted)
            // SAFETY: the text outlives the call.
            if let mode { _ = try Kernel.check(unsafe clinux_set_path_mode(path, mode)) }
        } else {
            _ = try Kernel.check(clinux_reuse_address(descriptor.number))
            _ = try Kernel.check(clinux_reuse_port(descriptor.number))
            if wanted.isIPv6 { _ = try Kernel.check(clinux_v6_only(descriptor.number)) }
            try Kernel.bind(descriptor.number, wanted)
        }
        if !wanted.isUnix { try BoundListener.prepareConnections(of: descriptor.number) }
        _ = try Kernel.check(clinux_listen(descriptor.number, backlog))
        address = Kernel.localAddress(descriptor.number)
        isShared = false
        self.descriptor = descriptor
    }

    /// Takes over a descriptor that this process was started with, and closes it where it is no listening stream socket
    /// (`EINVAL`, `ENOTSOCK`).
    package init(adopting number: Int32) throws(KernelError) {
        let descriptor = Descriptor(number)
        _ = try Kernel.check(clinux_adopt_listener(number))
        let bound = Kernel.localAddress(number)
        if !bound.isUnix { try BoundListener.prepareConnections(of: number) }
        address = bound
        isShared = true
        self.descriptor = descriptor
    }

    /// What the accepted connections inherit, without a system call for each.
    private static func prepareConnections(of listener: Int32) throws(KernelError) {
        _ = try Kernel.check(clinux_no_delay(listener))
        _ = try Kernel.check(clinux_unsent_limit(listener, unsentLimit))
    }

    private init(copyOf other: borrowing BoundListener) throws(KernelError) {
        descriptor = Descriptor(try Kernel.check(clinux_duplicate(other.descriptor.number)))
        address = other.address
        isShared = true
    }

    /// A further descriptor of the same socket, for another loop: the kernel wakes one of the loops for a connection.
    package borrowing func duplicate() throws(KernelError) -> BoundListener { try BoundListener(copyOf: self) }

    /// Throws where somebody listens on the address already. `SO_REUSEPORT` would let a second process of the same user
    /// in, and the kernel would share the connections out between the two without a word.
    package static func checkFree(_ wanted: SocketAddress) throws(KernelError) {
        if wanted.isUnix { return try SocketFile.checkFree(wanted) }
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(wanted.family)))
        _ = try Kernel.check(clinux_reuse_address(descriptor.number))
        if wanted.isIPv6 { _ = try Kernel.check(clinux_v6_only(descriptor.number)) }
        try Kernel.bind(descriptor.number, wanted)
    }

    /// Gives the descriptor to a listener, which closes it.
    consuming func takeNumber() -> Int32 { descriptor.release() }
}
