/// The event notification of a loop.
package enum LoopEngine: String, Sendable {
    case epoll
    case ioUring = "io_uring"

    /// The variable that selects the engine if the configuration does not.
    package static let variable = "PORTCULLIS_ENGINE"

    /// Throws if the kernel does not support the engine or forbids it to this process.
    package func checkAvailable() throws(KernelError) {
        guard self == .ioUring else { return }
        try Ring.check()
    }
}
