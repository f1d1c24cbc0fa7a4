import CLinux

/// Ends a connection from any thread, which wakes its waiting thread. Has a descriptor of its own, so that it never
/// affects a later connection with the same descriptor.
package final class ConnectionBreaker: Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    package func end() { _ = clinux_shutdown(descriptor.number) }
}
