import Bytes
import CLinux

/// A listening socket of one loop.
package final class Listener {
    let descriptor: Descriptor
    /// The number its owner gave it.
    package let id: Int
    package let address: SocketAddress
    /// Connections taken in this turn; the rest waits for the next (the registration is level-triggered).
    var acceptedInTurn = 0
    var registered = false
    var closed = false

    init(_ bound: consuming BoundListener, id: Int) {
        address = bound.address
        descriptor = bound.takeDescriptor()
        self.id = id
    }
}

extension BoundListener {
    consuming func takeDescriptor() -> Descriptor { descriptor }
}
