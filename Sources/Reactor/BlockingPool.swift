import Model
import Synchronization

/// Runs blocking and long computations (password hashes, RSA signatures, file reads) outside the loops, with a bounded
/// number of threads and a bounded queue, so that a flood of logins is refused instead of exhausting memory. Waiting work
/// takes turns by the party that it is for.
///
/// By default its threads yield to those of the loops: work of milliseconds must not delay requests of microseconds.
package final class BlockingPool: Sendable {
    /// Work for a client.
    package struct Job: Sendable {
        /// Who takes turns with others; nil for no address.
        var party: IPAddress?
        /// From 0, the first, to 2.
        var priority: Int
        /// Whether its client still waits.
        var isWanted: @Sendable () -> Bool
        var run: @Sendable () -> Void
        /// Called instead of `run` if it is not wanted any more, or has to make room for others.
        var drop: @Sendable () -> Void

        package init(
            of party: IPAddress? = nil, priority: Int = 0, isWanted: @escaping @Sendable () -> Bool = { true },
            drop: @escaping @Sendable () -> Void = {}, run: @escaping @Sendable () -> Void
        ) {
            self.party = party
            self.priority = priority
            self.isWanted = isWanted
            self.drop = drop
            self.run = run
        }
    }

    private let queue: WorkQueue

    /// - Parameters:
    ///   - name: name of its threads (15 bytes).
    ///   - width: number of threads.
    ///   - limit: length of the queue.
    ///   - patience: milliseconds that the queue may take by what its work has taken so far; nil for any time.
    ///   - computes: whether its work only computes, and pauses for other threads. Such work is interrupted by signals.
    ///   - yieldsToLoops: false for work that must finish in time even if all processors are busy.
    package init(
        name: String = "blocking", width: Int, limit: Int, patience: Int64? = nil, computes: Bool = false,
        yieldsToLoops: Bool = true
    ) {
        queue = WorkQueue(
            name: name, width: width, limit: limit, patience: patience, computes: computes, yieldsToLoops: yieldsToLoops
        )
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
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool { submit(Job(run: work)) }

    /// Queues a job; returns false if the queue is full, and no job is less urgent or of a party that has more.
    package func submit(_ job: Job) -> Bool { queue.submit(job) }
}

/// The queue that a pool shares with its threads. It outlives the pool until they have ended.
private final class WorkQueue: Sendable {
    private struct State {
        var threads = 0
        /// Threads that wait at the semaphore and were not signalled.
        var idle = 0
        var running = 0
        var isClosed = false
        var waiting = TurnQueue<BlockingPool.Job>(priorities: 3)
        /// What a job takes, in milliseconds.
        var mean: Double = 0
    }

    private enum Step {
        case run(BlockingPool.Job)
        case wait, end
    }

    private let state = Mutex(State())
    private let semaphore = EventSemaphore()
    private let name: String
    let width: Int
    private let limit: Int
    private let patience: Int64?
    let computes: Bool
    private let yieldsToLoops: Bool

    init(name: String, width: Int, limit: Int, patience: Int64?, computes: Bool, yieldsToLoops: Bool) {
        self.name = name
        self.width = width
        self.limit = limit
        self.patience = patience
        self.computes = computes
        self.yieldsToLoops = yieldsToLoops
    }

    var waiting: Int { state.withLock { max(0, $0.waiting.count - (width - $0.running)) } }

    func submit(_ job: BlockingPool.Job) -> Bool {
        enum Verdict { case startThread, signal, wait, refuse }
        let (verdict, removed) = state.withLock { state -> (Verdict, [BlockingPool.Job]) in
            var removed: [BlockingPool.Job] = []
            if isFull(state) {
                removed = state.waiting.removeAll { !$0.isWanted() }
                if isFull(state) {
                    guard let other = state.waiting.displaced(by: job.party, priority: job.priority) else {
                        return (.refuse, removed)
                    }
                    removed.append(other)
                }
            }
            state.waiting.append(job, of: job.party, priority: job.priority)
            if state.idle > 0 {
                state.idle -= 1
                return (.signal, removed)
            }
            if state.threads == width { return (.wait, removed) }
            state.threads += 1
            return (.startThread, removed)
        }
        for job in removed { job.drop() }
        switch verdict {
        case .startThread: start()
        case .signal: semaphore.signal()
        case .wait: break
        case .refuse: return false
        }
        return true
    }

    private func isFull(_ state: State) -> Bool {
        var limit = limit
        if let patience, state.mean > 0 {
            // Some find a place even if one job takes longer.
            limit = min(limit, max(4, Int(Double(patience) / state.mean)) * width)
        }
        return state.waiting.count >= limit + width - state.running
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
            case .run(let job):
                if job.isWanted() {
                    let begun = Clock.monotonicMilliseconds
                    run(job.run)
                    ended(after: Clock.monotonicMilliseconds - begun)
                } else {
                    job.drop()
                    state.withLock { $0.running -= 1 }
                }
            case .wait: semaphore.wait()
            case .end: return
            }
        }
    }

    private func ended(after milliseconds: Int64) {
        state.withLock { state in
            state.running -= 1
            state.mean += (Double(milliseconds) - state.mean) / (state.mean == 0 ? 1 : 8)
        }
    }

    private func next() -> Step {
        state.withLock { state in
            guard let job = state.waiting.next() else {
                if state.isClosed { return .end }
                state.idle += 1
                return .wait
            }
            state.running += 1
            return .run(job)
        }
    }
}
