import Reactor
import Synchronization

/// Values that were replaced, until they are no longer used. The last reference to a configuration frees every user in it,
/// and with very many users that takes longer than a loop may stand still: here a thread beside the loops does it.
final class Retirement<Value: AnyObject & Sendable>: Sendable {
    private struct State {
        var current: Value?
        var retired: [Value] = []
        var isReviewing = false
    }

    private let state = Mutex(State())
    private let queue = SerialQueue(label: "portcullis.retirement")
    private let milliseconds: Int
    private let freed: @Sendable () -> Void

    /// - Parameters:
    ///   - milliseconds: how often it is looked whether what has retired is still used.
    ///   - freed: called when something was.
    init(reviewedEvery milliseconds: Int = 1000, freed: @escaping @Sendable () -> Void = {}) {
        self.milliseconds = milliseconds
        self.freed = freed
    }

    /// The one in use; nil before the first.
    var current: Value? { state.withLock { $0.current } }

    /// The one in use from now on. To be called before anybody lets go of the one before.
    func replace(with fresh: Value) {
        let isFirst = state.withLock { state -> Bool in
            if let old = state.current { state.retired.append(old) }
            state.current = fresh
            guard !state.retired.isEmpty, !state.isReviewing else { return false }
            state.isReviewing = true
            return true
        }
        if isFirst { reviewLater() }
    }

    private func reviewLater() { queue.submit(afterMilliseconds: milliseconds) { [weak self] in self?.review() } }

    /// Releases what has no other reference.
    private func review() {
        var (unused, isDone) = state.withLock { state -> ([Value], Bool) in
            var (unused, used): ([Value], [Value]) = ([], [])
            while var value = state.retired.popLast() {
                if isKnownUniquelyReferenced(&value) { unused.append(value) } else { used.append(value) }
            }
            state.retired = used
            state.isReviewing = !used.isEmpty
            return (unused, used.isEmpty)
        }
        // Freed here, outside of the lock.
        if !unused.isEmpty {
            unused = []
            freed()
        }
        if !isDone { reviewLater() }
    }
}
