import CLinux
import Synchronization

/// Wakes a loop from another thread.
package final class Waker: Sendable {
    let descriptor: Int32

    package init() throws(KernelError) { descriptor = try Kernel.check(clinux_eventfd()) }

    deinit { _ = clinux_close(descriptor) }

    /// Makes the loop's wait end with `.woken`.
    package func wake() { _ = clinux_eventfd_signal(descriptor) }

    func drain() { _ = clinux_eventfd_drain(descriptor) }
}

/// Messages to a loop from other threads. The first message wakes the loop.
package final class Mailbox<Message: Sendable>: Sendable {
    package let waker: Waker
    private let messages = Mutex<[Message]>([])

    package init() throws(KernelError) { waker = try Waker() }

    package func post(_ message: Message) {
        let first = messages.withLock { queue in
            queue.append(message)
            return queue.count == 1
        }
        if first { waker.wake() }
    }

    /// Takes everything posted so far, oldest first.
    package func takeAll() -> [Message] {
        messages.withLock { queue in
            let taken = queue
            queue = []
            return taken
        }
    }
}
