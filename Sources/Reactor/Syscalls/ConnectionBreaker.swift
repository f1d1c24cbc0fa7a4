import CLinux

/// Ends a connection from any thread: whoever waits for it learns that nothing more comes. It has a descriptor of its own,
/// so that it never reaches another connection that has got the number since.
package final class ConnectionBreaker: Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    package func end() { _ = clinux_shutdown(descriptor.number) }
}
