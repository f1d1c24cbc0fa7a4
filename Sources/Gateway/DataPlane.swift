import Reactor
import Synchronization

/// A bound listener in transit to its worker.
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

/// Starts the workers and waits for them to end.
package struct DataPlane {
    private var threads: [WorkerThread] = []

    /// Starts one thread for each mailbox of the shared state, and waits until all listen. If one cannot, connections
    /// to its sockets would not be served; this then throws, and the process must exit.
    ///
    /// - Parameter listeners: the listeners of each worker.
    package init(shared: SharedState, snapshot: GatewaySnapshot, listeners: [[BoundListenerBox]]) throws(KernelError) {
        let starts = try Mailbox<Result<Void, KernelError>>()
        shared.snapshots.replace(with: snapshot)
        for (number, own) in listeners.enumerated() {
            threads.append(
                WorkerThread(name: "worker-\(number)") {
                    do throws(KernelError) {
                        try DataPlane.worker(number, shared).run(own) {
                            starts.post(.success(()))
                        }
                    } catch {
                        shared.log.write(.workerFailed, [("worker", .number(number)), ("detail", .text(error.text))])
                        starts.post(.failure(error))
                    }
                })
        }
        do throws(KernelError) {
            try DataPlane.waitForStarts(listeners.count, starts)
        } catch {
            shared.drain()
            join()
            throw error
        }
    }

    /// The snapshot is neither captured by the thread nor kept in a local variable: either would retain the initial
    /// configuration for the thread's lifetime.
    private static func worker(_ number: Int, _ shared: SharedState) throws(KernelError) -> Worker {
        guard let first = shared.snapshots.current else { preconditionFailure("no snapshot") }
        return try Worker(number: number, shared: shared, snapshot: first)
    }

    private static func waitForStarts(_ count: Int, _ starts: Mailbox<Result<Void, KernelError>>) throws(KernelError) {
        let poller = try Poller(waker: starts.waker, chunkSize: 1024)
        var outstanding = count
        while outstanding > 0 {
            poller.wait()
            while poller.next() != nil {}
            for start in starts.takeAll() {
                outstanding -= 1
                try start.get()
            }
        }
    }

    /// Waits until every worker has ended.
    package func join() {
        for thread in threads { thread.join() }
    }
}
