import CLinux

/// A file descriptor that closes itself.
package struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { _ = clinux_close(number) }
}

/// A bound and listening socket that has no loop yet, so that binding errors are known before workers start.
package struct BoundListener: ~Copyable, Sendable {
    let descriptor: Descriptor
    /// The address with the port that the kernel chose where 0 was asked for.
    package let address: SocketAddress

    /// Binds with `SO_REUSEPORT`, so that every worker has a listener of its own on one port.
    package init(_ wanted: SocketAddress, backlog: Int32 = 4096) throws(KernelError) {
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(wanted.family)))
        _ = try Kernel.check(clinux_reuse_address(descriptor.number))
        _ = try Kernel.check(clinux_reuse_port(descriptor.number))
        if wanted.isIPv6 { _ = try Kernel.check(clinux_v6_only(descriptor.number)) }
        try Kernel.bind(descriptor.number, wanted)
        _ = try Kernel.check(clinux_listen(descriptor.number, backlog))
        address = Kernel.localAddress(descriptor.number)
        self.descriptor = descriptor
    }

    /// Throws where somebody listens on the address already. `SO_REUSEPORT` would let a second process of the same user
    /// in, and the kernel would share the connections out between the two without a word.
    package static func checkFree(_ wanted: SocketAddress) throws(KernelError) {
        let descriptor = Descriptor(try Kernel.check(clinux_stream_socket(wanted.family)))
        _ = try Kernel.check(clinux_reuse_address(descriptor.number))
        if wanted.isIPv6 { _ = try Kernel.check(clinux_v6_only(descriptor.number)) }
        try Kernel.bind(descriptor.number, wanted)
    }
}
