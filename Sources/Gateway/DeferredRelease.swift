import Reactor
import Synchronization

/// Keeps replaced values until they are unused, and releases them on another thread: freeing a configuration with very
/// many users would block an event loop for too long.
final class DeferredRelease<Value: AnyObject & Sendable>: Sendable {
    private struct State {
        var current: Value?
        var replaced: [Value] = []
        var isReviewing = false
    }

    private let state = Mutex(State())
    private let queue = SerialQueue(label: "portcullis.release")
    private let milliseconds: Int
    private let freed: @Sendable () -> Void

    /// - Parameters:
    ///   - milliseconds: interval for checking whether replaced values are still used.
    ///   - freed: called after a release.
    init(reviewedEvery milliseconds: Int = 1000, freed: @escaping @Sendable () -> Void = {}) {
        self.milliseconds = milliseconds
        self.freed = freed
    }

    /// The current value; nil before the first.
    var current: Value? { state.withLock { $0.current } }

    /// Sets the current value. Call it before the last other reference to the previous one ends.
    func replace(with fresh: Value) {
        let isFirst = state.withLock { state -> Bool in
            if let old = state.current { state.replaced.append(old) }
            state.current = fresh
            guard !state.replaced.isEmpty, !state.isReviewing else { return false }
            state.isReviewing = true
            return true
        }
        if isFirst { reviewLater() }
    }

    private func reviewLater() { queue.submit(afterMilliseconds: milliseconds) { [weak self] in self?.review() } }

    /// Releases values without other references.
    private func review() {
        var (unused, isDone) = state.withLock { state -> ([Value], Bool) in
            var (unused, used): ([Value], [Value]) = ([], [])
            while var value = state.replaced.popLast() {
                if isKnownUniquelyReferenced(&value) { unused.append(value) } else { used.append(value) }
            }
            state.replaced = used
            state.isReviewing = !used.isEmpty
            return (unused, used.isEmpty)
        }
        // Freed here, outside the lock.
        if !unused.isEmpty {
            unused = []
            freed()
        }
        if !isDone { reviewLater() }
    }
}
