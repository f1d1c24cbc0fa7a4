#if SQLite
    import Synchronization

    /// The embedded durable store (DEC-10): a file that several processes of one machine may share. Answers are sent
    /// after the change is on disk.
    ///
    /// Operations that arrive during a sync are queued and then share one transaction and one sync.
    package final class SQLiteTokenStore: TokenStore {
        /// Runs work items serially, off the event loops.
        package typealias Executor = @Sendable (@escaping @Sendable () -> Void) -> Void

        private struct Waiting: Sendable {
            var task: SQLiteLedger.Task
            var then: @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
        }

        private struct Queue: Sendable {
            var waiting: [Waiting] = []
            var isRunning = false
        }

        private let file: Mutex<SQLiteStoreFile>
        private let queue = Mutex(Queue())
        private let lastState = Mutex(StoreState.ok)
        private let executor: Executor

        /// Maximum number of operations per transaction, and of all queued operations.
        private static let batchLimit = 256
        private static let queueLimit = 8192

        /// Opens the file, creating it if missing.
        ///
        /// - Parameters:
        ///   - patience: milliseconds to wait for a lock that another process holds.
        ///   - known: the deny entries of this process, for a file that loses them while in use.
        ///   - report: called with events of the file, on the executor. It must not block.
        ///   - executor: runs blocking disk work, one item at a time.
        package init(
            path: String, patience: Int32, known: @escaping @Sendable () -> [DenyEntry] = { [] },
            report: @escaping @Sendable (StoreFileEvent) -> Void = { _ in }, executor: @escaping Executor
        ) throws(SQLiteOpenError) {
            file = Mutex(try SQLiteStoreFile(path: path, patience: patience, known: known, report: report))
            self.executor = executor
        }

        package var kind: StaticString { "sqlite" }
        package var state: StoreState { lastState.withLock { $0 } }

        package func perform(
            _ operation: StoreOperation, now: Int64,
            then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
        ) {
            enum Verdict { case start, wait, refuse }
            let waiting = Waiting(task: SQLiteLedger.Task(operation: operation, now: now), then: then)
            let verdict = queue.withLock { queue -> Verdict in
                if queue.waiting.count >= SQLiteTokenStore.queueLimit { return .refuse }
                queue.waiting.append(waiting)
                defer { queue.isRunning = true }
                return queue.isRunning ? .wait : .start
            }
            switch verdict {
            case .start: executor { self.runAll() }
            case .wait: break
            case .refuse: then(.failure(.overloaded))
            }
        }

        /// Runs batches until the queue is empty.
        private func runAll() {
            while let batch = takeBatch() {
                let results = file.withLock { $0.perform(batch.map(\.task)) }
                note(results, now: batch.last?.task.now ?? 0)
                for (waiting, result) in zip(batch, results) { waiting.then(result) }
            }
        }

        private func takeBatch() -> [Waiting]? {
            queue.withLock { queue in
                guard !queue.waiting.isEmpty else {
                    queue.isRunning = false
                    return nil
                }
                let batch = Array(queue.waiting.prefix(SQLiteTokenStore.batchLimit))
                queue.waiting.removeFirst(batch.count)
                return batch
            }
        }

        private func note(_ results: [Result<StoreAnswer, StoreFailure>], now: Int64) {
            let works = results.contains { if case .success = $0 { true } else { false } }
            lastState.withLock { state in
                switch (works, state) {
                case (true, _): state = .ok
                case (false, .ok): state = .unavailable(since: now)
                case (false, .unavailable): break
                }
            }
        }
    }
#endif
