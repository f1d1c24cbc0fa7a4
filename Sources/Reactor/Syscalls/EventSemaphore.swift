import CLinux

/// A counting semaphore.
final class EventSemaphore: Sendable {
    private let descriptor: Int32

    init() {
        descriptor = clinux_eventfd_semaphore()
        precondition(descriptor >= 0, "no descriptor is left: \(KernelError(-descriptor).text)")
    }

    deinit { _ = clinux_close(descriptor) }

    func signal() { _ = clinux_eventfd_signal(descriptor) }

    func wait() { _ = clinux_eventfd_drain(descriptor) }
}
