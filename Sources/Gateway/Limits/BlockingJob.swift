import Synchronization

/// Blocking work on behalf of an exchange. A cancelled job is skipped when its turn comes: the password of a client that has
/// gone costs no processor time.
final class BlockingJob: Sendable {
    private let wanted = Atomic<Bool>(true)

    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    func cancel() { wanted.store(false, ordering: .relaxed) }
}
