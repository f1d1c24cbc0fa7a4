import Reactor
import Synchronization

/// A bound listener on its way to the worker that takes it.
package final class BoundListenerBox: Sendable {
    package let id: Int
    package let address: SocketAddress
    private let listener: Mutex<BoundListener?>

    package init(_ bound: consuming BoundListener, id: Int) {
        self.id = id
        address = bound.address
        listener = Mutex(bound)
    }

    package func take() -> BoundListener? { listener.withLock { $0.take() } }
}

/// Starts the workers and waits for their end.
package struct DataPlane {
    private var threads: [WorkerThread] = []

    /// Starts one thread for each mailbox of the shared state.
    ///
    /// - Parameter listeners: for each worker the listeners it takes.
    package init(shared: SharedState, snapshot: GatewaySnapshot, listeners: [[BoundListenerBox]]) {
        for (number, own) in listeners.enumerated() {
            threads.append(
                WorkerThread(name: "worker-\(number)") {
                    do throws(KernelError) {
                        try Worker(number: number, shared: shared, snapshot: snapshot).run(own)
                    } catch {
                        shared.log.write("worker_failed", [("worker", .number(number)), ("error", .text(error.text))])
                    }
                })
        }
    }

    /// Waits until every worker has ended.
    package func join() {
        for thread in threads { thread.join() }
    }
}
