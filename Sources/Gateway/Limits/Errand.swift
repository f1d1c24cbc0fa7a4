import Synchronization

/// Blocking work on behalf of an exchange. One that is no longer waited for is skipped when its turn comes: a client
/// that leaves does not keep a processor at its password.
final class Errand: Sendable {
    private let wanted = Atomic<Bool>(true)

    var isWanted: Bool { wanted.load(ordering: .relaxed) }

    func cancel() { wanted.store(false, ordering: .relaxed) }
}
