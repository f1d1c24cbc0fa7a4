import Synchronization

/// Blocking work for an exchange. A cancelled job is skipped when dequeued, so that a password check for a client that
/// has gone costs no CPU time.
final class BlockingJob: Sendable {
    private let wanted = Atomic<Bool>(true)

    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    func cancel() { wanted.store(false, ordering: .relaxed) }
}
