import Bytes
import CLinux

/// A listening socket of one loop.
package final class Listener {
    private(set) var descriptor: Int32
    /// The id that its owner has assigned.
    package let id: Int
    package let address: SocketAddress
    /// Other loops or processes accept from the same socket.
    let isShared: Bool
    /// Connections accepted in this turn; the rest is accepted in the next (the registration is level-triggered).
    var acceptedInTurn = 0
    var registered = false

    init(_ bound: consuming BoundListener, id: Int) {
        address = bound.address
        isShared = bound.isShared
        descriptor = bound.takeNumber()
        self.id = id
    }

    deinit { close() }

    var isClosed: Bool { descriptor < 0 }

    /// Closes the descriptor. Other descriptors keep the socket alive; it is never shut down, which would end it for
    /// all of them.
    func close() {
        guard descriptor >= 0 else { return }
        _ = clinux_close(descriptor)
        descriptor = -1
    }
}
