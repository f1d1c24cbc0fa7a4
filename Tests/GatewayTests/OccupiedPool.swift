import Dispatch
import Reactor

@testable import Gateway

extension WorkerBench {
    /// Work that fills every place of the blocking pool until it is let go.
    final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let begun = DispatchSemaphore(value: 0)
        private let count = max(2, WorkerThread.processorCount)

        fileprivate func occupy(_ pool: BlockingPool) {
            for _ in 0..<count {
                let accepted = pool.submit {
                    self.begun.signal()
                    self.semaphore.wait()
                }
                precondition(accepted)
            }
            for _ in 0..<count { begun.wait() }
        }

        func open() { for _ in 0..<count { semaphore.signal() } }
    }

    /// Whatever is submitted from now on waits until the gate is opened.
    func occupyPool() -> Gate {
        let gate = Gate()
        gate.occupy(shared.blocking)
        return gate
    }
}
