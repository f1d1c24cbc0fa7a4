import Synchronization

/// Runs blocking and long computations (password hashes, RSA signatures, file reads) outside the loops, with a bounded
/// number of threads and a bounded queue, so that a flood of logins is refused instead of exhausting memory.
///
/// By default its threads yield to those of the loops: work of milliseconds must not delay requests of microseconds.
package final class BlockingPool: Sendable {
    private let queue: WorkQueue

    /// - Parameters:
    ///   - name: name of its threads (15 bytes).
    ///   - width: number of threads.
    ///   - limit: length of the queue.
    ///   - computes: whether its work only computes, and pauses for other threads. Such work is interrupted by signals.
    ///   - yieldsToLoops: false for work that must finish in time even if all processors are busy.
    package init(
        name: String = "blocking", width: Int, limit: Int, computes: Bool = false, yieldsToLoops: Bool = true
    ) {
        queue = WorkQueue(name: name, width: width, limit: limit, computes: computes, yieldsToLoops: yieldsToLoops)
    }

    /// Queued work is still run.
    deinit { queue.close() }

    /// Number of threads.
    package var width: Int { queue.width }

    /// Whether its threads pause for other threads while they compute.
    package var pauses: Bool { queue.computes }

    /// Length of the queue.
    package var waiting: Int { queue.waiting }

    /// Queues the work; returns false if the queue is full.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool { queue.submit(work) }
}

/// The queue that a pool shares with its threads. It outlives the pool until they have ended.
private final class WorkQueue: Sendable {
    private struct State {
        var threads = 0
        /// Threads that wait at the semaphore and were not signalled.
        var idle = 0
        var running = 0
        var isClosed = false
        var waiting: [@Sendable () -> Void] = []
        var first = 0

        var count: Int { waiting.count - first }
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case wait, end
    }

    private let state = Mutex(State())
    private let semaphore = EventSemaphore()
    private let name: String
    let width: Int
    private let limit: Int
    let computes: Bool
    private let yieldsToLoops: Bool

    init(name: String, width: Int, limit: Int, computes: Bool, yieldsToLoops: Bool) {
        self.name = name
        self.width = width
        self.limit = limit
        self.computes = computes
        self.yieldsToLoops = yieldsToLoops
    }

    var waiting: Int { state.withLock { max(0, $0.count - (width - $0.running)) } }

    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        enum Verdict { case startThread, signal, wait, refuse }
        let verdict = state.withLock { state -> Verdict in
            if state.count >= limit + width - state.running { return .refuse }
            state.waiting.append(work)
            if state.idle > 0 {
                state.idle -= 1
                return .signal
            }
            if state.threads == width { return .wait }
            state.threads += 1
            return .startThread
        }
        switch verdict {
        case .startThread: start()
        case .signal: semaphore.signal()
        case .wait: break
        case .refuse: return false
        }
        return true
    }

    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { semaphore.signal() }
    }

    /// Starts a thread on demand. If that fails, the work waits for other threads or the next attempt.
    private func start() {
        let hasStarted = WorkerThread.detached(name: name) { [self] in
            if yieldsToLoops { WorkerThread.lowerPriority() }
            if computes {
                let pauses = ComputingPauses()
                runAll { pauses.during($0) }
            } else {
                runAll { $0() }
            }
        }
        if !hasStarted { state.withLock { $0.threads -= 1 } }
    }

    /// Runs queued work until the pool is closed.
    private func runAll(_ run: (@Sendable () -> Void) -> Void) {
        while true {
            switch next() {
            case .run(let work):
                run(work)
                state.withLock { $0.running -= 1 }
            case .wait: semaphore.wait()
            case .end: return
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            guard state.count > 0 else {
                if state.isClosed { return .end }
                state.idle += 1
                return .wait
            }
            let work = state.waiting[state.first]
            // Finished work is released at once, since it may contain a password and the queue may never become empty.
            state.waiting[state.first] = {}
            state.first += 1
            state.running += 1
            if state.first * 2 > state.waiting.count {
                state.waiting.removeFirst(state.first)
                state.first = 0
            }
            return .run(work)
        }
    }
}
