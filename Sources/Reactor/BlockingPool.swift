import Synchronization

/// Runs what blocks or computes for long (password hashes, RSA signatures, file reads) away from the loops, a bounded number at a time
/// and with a bounded queue, so that a flood of logins is refused instead of filling the memory.
///
/// Its threads stand back behind those of the loops, unless it is told otherwise: work that takes milliseconds is not to
/// delay requests that take microseconds.
package final class BlockingPool: Sendable {
    private let line: Line

    /// - Parameters:
    ///   - name: what its threads are called (15 bytes).
    ///   - width: how much runs at the same time.
    ///   - limit: how much may wait.
    ///   - computes: its work computes for milliseconds and waits for nothing, so that it is to pause for others. Such work
    ///     is interrupted by signals.
    ///   - standsBack: false for work that must come to its end in time where all processors are busy.
    package init(
        name: String = "blocking", width: Int, limit: Int, computes: Bool = false, standsBack: Bool = true
    ) {
        line = Line(name: name, width: width, limit: limit, computes: computes, standsBack: standsBack)
    }

    /// What was taken is still run.
    deinit { line.close() }

    /// How much runs at the same time.
    package var width: Int { line.width }

    /// Its threads pause for others while they compute.
    package var pauses: Bool { line.computes }

    /// How much waits for a place.
    package var waiting: Int { line.waiting }

    /// Runs the work soon; answers false, and does nothing, where the queue is full.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool { line.submit(work) }
}

/// What the threads of a pool share with it. It outlives the pool until they have ended.
private final class Line: Sendable {
    private struct State {
        var threads = 0
        /// Threads that wait at the turnstile and have not been called.
        var idle = 0
        var running = 0
        var isClosed = false
        var waiting: [@Sendable () -> Void] = []
        var first = 0

        var count: Int { waiting.count - first }
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case rest, end
    }

    private let state = Mutex(State())
    private let turnstile = Turnstile()
    private let name: String
    let width: Int
    private let limit: Int
    let computes: Bool
    private let standsBack: Bool

    init(name: String, width: Int, limit: Int, computes: Bool, standsBack: Bool) {
        self.name = name
        self.width = width
        self.limit = limit
        self.computes = computes
        self.standsBack = standsBack
    }

    var waiting: Int { state.withLock { max(0, $0.count - (width - $0.running)) } }

    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        enum Verdict { case start, call, wait, refuse }
        let verdict = state.withLock { state -> Verdict in
            if state.count >= limit + width - state.running { return .refuse }
            state.waiting.append(work)
            if state.idle > 0 {
                state.idle -= 1
                return .call
            }
            if state.threads == width { return .wait }
            state.threads += 1
            return .start
        }
        switch verdict {
        case .start: start()
        case .call: turnstile.letOneThrough()
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
        for _ in 0..<idle { turnstile.letOneThrough() }
    }

    /// Threads are started when there is work for them first. Where the system has no room for one, the work waits for
    /// the others, or for the next try.
    private func start() {
        let hasStarted = WorkerThread.detached(name: name) { [self] in
            if standsBack { WorkerThread.standBack() }
            if computes {
                let pauses = ComputingPauses()
                runAll { pauses.during($0) }
            } else {
                runAll { $0() }
            }
        }
        if !hasStarted { state.withLock { $0.threads -= 1 } }
    }

    /// Runs what comes until the pool has gone.
    private func runAll(_ run: (@Sendable () -> Void) -> Void) {
        while true {
            switch next() {
            case .run(let work):
                run(work)
                state.withLock { $0.running -= 1 }
            case .rest: turnstile.pass()
            case .end: return
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            guard state.count > 0 else {
                if state.isClosed { return .end }
                state.idle += 1
                return .rest
            }
            let work = state.waiting[state.first]
            // What has run is let go of at once: there may be a password in it, and the queue may never be empty.
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
