/// How a loop asks the kernel.
package enum LoopEngine: String, Sendable {
    case epoll
    case ioUring = "io_uring"

    /// Names the engine for gateways whose configuration leaves it open.
    package static let variable = "PORTCULLIS_ENGINE"

    /// Throws what the kernel says where it has no such engine, or forbids it to this process.
    package func checkAvailable() throws(KernelError) {
        guard self == .ioUring else { return }
        try Ring.check()
    }
}
