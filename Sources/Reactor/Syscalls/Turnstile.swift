import CLinux

/// Where threads wait until they are called, one for each call. A call that nobody waits for lets the next one pass.
final class Turnstile: Sendable {
    private let descriptor: Int32

    init() {
        descriptor = clinux_eventfd_turnstile()
        precondition(descriptor >= 0, "no descriptor is left: \(KernelError(-descriptor).text)")
    }

    deinit { _ = clinux_close(descriptor) }

    func letOneThrough() { _ = clinux_eventfd_signal(descriptor) }

    func pass() { _ = clinux_eventfd_drain(descriptor) }
}
