import Dispatch
import Synchronization

/// Runs blocking work (password hashes, RSA signatures, file reads) away from the loops, a bounded number at a time
/// and with a bounded queue, so that a flood of logins is refused instead of filling the memory.
package final class BlockingPool: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var first = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "portcullis.blocking", attributes: .concurrent)
    private let width: Int
    private let limit: Int

    /// - Parameters:
    ///   - width: how much runs at the same time.
    ///   - limit: how much may wait.
    package init(width: Int, limit: Int) {
        self.width = width
        self.limit = limit
    }

    /// How much waits for a place.
    package var waiting: Int { state.withLock { $0.waiting.count - $0.first } }

    /// Runs the work soon; answers false, and does nothing, where the queue is full.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        enum Verdict { case start, wait, refuse }
        let verdict = state.withLock { state -> Verdict in
            if state.running < width {
                state.running += 1
                return .start
            }
            if state.waiting.count - state.first >= limit { return .refuse }
            state.waiting.append(work)
            return .wait
        }
        switch verdict {
        case .start: queue.async { self.runAll(from: work) }
        case .wait: break
        case .refuse: return false
        }
        return true
    }

    /// Runs this piece and then what waits, until nothing does.
    private func runAll(from first: @Sendable () -> Void) {
        first()
        while let next = takeNext() { next() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.first < state.waiting.count else {
                state.running -= 1
                return nil
            }
            let work = state.waiting[state.first]
            // What has run is let go of at once: there may be a password in it, and the queue may never be empty.
            state.waiting[state.first] = {}
            state.first += 1
            if state.first * 2 > state.waiting.count {
                state.waiting.removeFirst(state.first)
                state.first = 0
            }
            return work
        }
    }
}
