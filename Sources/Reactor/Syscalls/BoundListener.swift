import CLinux
import Glibc
import Model

/// A bound and listening socket without a loop, so that errors are detected before workers start.
package struct BoundListener: ~Copyable, Sendable {
    let descriptor: Descriptor
    /// The address with the actual port.
    package let address: SocketAddress
    /// Other loops or processes accept from the same socket.
    let isShared: Bool

    /// Default length of the accept queue.
    package static let defaultBacklog: Int32 = 4096
    /// Limit of unsent bytes in the kernel for a connection. Without it, slow clients occupy megabytes in thousands of
    /// small segments, which take milliseconds to free in one call.
    static let unsentLimit: Int32 = 256 * 1024

    /// Binds an IP address with `SO_REUSEPORT`, so that every worker has a listener of its own on the port (IPv6 only
    /// for an IPv6 address), or a unix socket, replacing a stale socket file.
    ///
    /// - Parameter mode: permissions of the socket file; nil for the umask.
    package init(_ requested: SocketAddress, backlog: Int32 = defaultBacklog, mode: UInt32? = nil) throws(KernelError) {
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(requested.family)))
        if let path = requested.unixPath {
            // The file never has more permissions than requested.
            if let mode { _ = try Kernel.check(clinux_set_mode(descriptor.number, mode)) }
            try SocketFile.removeStale(requested)
            try Kernel.bind(descriptor.number, requested)
            // SAFETY: the text outlives the call.
            if let mode { _ = try Kernel.check(unsafe clinux_set_path_mode(path, mode)) }
        } else {
            _ = try Kernel.check(clinux_reuse_address(descriptor.number))
            _ = try Kernel.check(clinux_reuse_port(descriptor.number))
            if requested.isIPv6 { _ = try Kernel.check(clinux_v6_only(descriptor.number)) }
            try Kernel.bind(descriptor.number, requested)
        }
        if !requested.isUnix { try BoundListener.prepareConnections(of: descriptor.number) }
        _ = try Kernel.check(clinux_listen(descriptor.number, backlog))
        address = Kernel.localAddress(descriptor.number)
        isShared = false
        self.descriptor = descriptor
    }

    /// Takes ownership of an inherited descriptor, and closes it if it is not a listening stream socket (`EINVAL`,
    /// `ENOTSOCK`).
    package init(adopting number: Int32) throws(KernelError) {
        let descriptor = Descriptor(number)
        _ = try Kernel.check(clinux_adopt_listener(number))
        let bound = Kernel.localAddress(number)
        if !bound.isUnix { try BoundListener.prepareConnections(of: number) }
        address = bound
        isShared = true
        self.descriptor = descriptor
    }

    /// Sets options that accepted connections inherit, without a system call for each.
    private static func prepareConnections(of listener: Int32) throws(KernelError) {
        _ = try Kernel.check(clinux_no_delay(listener))
        _ = try Kernel.check(clinux_unsent_limit(listener, unsentLimit))
    }

    private init(copyOf other: borrowing BoundListener) throws(KernelError) {
        descriptor = Descriptor(try Kernel.check(clinux_duplicate(other.descriptor.number)))
        address = other.address
        isShared = true
    }

    /// Another descriptor of the same socket, for another loop.
    package borrowing func duplicate() throws(KernelError) -> BoundListener { try BoundListener(copyOf: self) }

    /// Throws if another socket listens on the address. With `SO_REUSEPORT`, a second process of the same user would
    /// otherwise silently share the connections.
    package static func checkFree(_ requested: SocketAddress) throws(KernelError) {
        if requested.isUnix { return try SocketFile.checkFree(requested) }
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(requested.family)))
        _ = try Kernel.check(clinux_reuse_address(descriptor.number))
        if requested.isIPv6 { _ = try Kernel.check(clinux_v6_only(descriptor.number)) }
        try Kernel.bind(descriptor.number, requested)
    }

    /// Whether what listens on an address allows this user further sockets on it, as a gateway does, and few others.
    package static func isShareable(_ address: SocketAddress) -> Bool {
        guard !address.isUnix, let number = try? Kernel.check(clinux_stream_socket(address.family)) else {
            return false
        }
        let descriptor = Descriptor(number)
        _ = clinux_reuse_address(descriptor.number)
        _ = clinux_reuse_port(descriptor.number)
        if address.isIPv6 { _ = clinux_v6_only(descriptor.number) }
        return (try? Kernel.bind(descriptor.number, address)) != nil
    }

    /// Passes the descriptor to a listener, which closes it.
    consuming func takeNumber() -> Int32 { descriptor.release() }
}
