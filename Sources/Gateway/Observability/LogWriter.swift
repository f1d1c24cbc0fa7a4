import Reactor
import Synchronization

/// Writes log blocks to their destination, off the loops, in the order they come. A destination that is slower than
/// the traffic loses blocks, counted, rather than memory.
package final class LogWriter: Sendable {
    private let queue = SerialQueue(label: "portcullis.log")
    private let pendingBlocks = Atomic<Int>(0)
    private let destination: Mutex<OutputDescriptor>
    private let path: String?
    private static let maximumPending = 64

    /// Writes to a file that is opened for appending.
    package init(appendingTo path: String) throws(KernelError) {
        self.path = path
        destination = Mutex(try OutputDescriptor(appendingTo: path))
    }

    /// Writes to standard output or error.
    package init(_ output: OutputDescriptor) {
        path = nil
        destination = Mutex(output)
    }

    /// Takes a block over; answers false where it was dropped.
    package func write(_ block: [UInt8]) -> Bool {
        if pendingBlocks.load(ordering: .relaxed) >= LogWriter.maximumPending { return false }
        pendingBlocks.add(1, ordering: .relaxed)
        queue.submit {
            let output = self.destination.withLock { $0 }
            output.write(block)
            self.pendingBlocks.subtract(1, ordering: .relaxed)
        }
        return true
    }

    /// Opens the file anew, after it was renamed (SIGUSR1).
    package func reopen() {
        guard let path else { return }
        queue.submit {
            guard let fresh = try? OutputDescriptor(appendingTo: path) else { return }
            let old = self.destination.withLock { output in
                let old = output
                output = fresh
                return old
            }
            old.close()
        }
    }

    /// Waits until everything taken so far is written.
    package func flush() { queue.flush() }
}
