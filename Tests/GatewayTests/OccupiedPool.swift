import Dispatch
import Reactor

@testable import Gateway

extension WorkerBench {
    /// Work that fills every place of the pool for passwords until it is let go.
    final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let begun = DispatchSemaphore(value: 0)
        private let pool: BlockingPool

        fileprivate init(occupying pool: BlockingPool) {
            self.pool = pool
            let count = pool.width
            for _ in 0..<count {
                let accepted = pool.submit {
                    self.begun.signal()
                    self.semaphore.wait()
                }
                precondition(accepted)
            }
            for _ in 0..<count { begun.wait() }
        }

        func open() { for _ in 0..<pool.width { semaphore.signal() } }
    }

    /// What is submitted from now on waits until the gate is opened.
    func occupyPool() -> Gate { Gate(occupying: shared.hashes) }
}
