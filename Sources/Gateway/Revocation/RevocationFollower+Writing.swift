import Synchronization
import TokenStorage

/// What becomes of what the store has not taken.
extension RevocationFollower {
    /// Whether a revocation that the store cannot be told now is told later.
    var retries: Bool { isFollowing }

    /// Tells the store as soon as it answers. Nothing happens where it has no one else to tell.
    func keep(_ operation: StoreOperation) {
        if retries { unwritten.withLock { $0.keep(operation) } }
    }

    /// A write has failed.
    func failed(_ operation: StoreOperation, _ failure: StoreFailure) {
        // The server has what its replicas lack: once more would be another entry.
        guard retries, !operation.isRead, failure != .notReplicated else { return }
        let change = unwritten.withLock { state in
            if case .deny = operation { state.keep(operation) }
            return state.failed(failure)
        }
        tell(change, failure)
    }

    /// Tries again what the store has not taken, or whether it takes anything.
    /// - Parameter now: seconds since 1970.
    func retry(now: Int64) {
        guard let operation = unwritten.withLock({ $0.attempt(now: now) }) else { return }
        store.perform(operation, now: now) { [self] result in
            count(result)
            if case .success(.removed(let gone)) = result { deny(gone, now: now) }
            let change = unwritten.withLock { $0.tried(operation, result) }
            if case .failure(let failure) = result { tell(change, failure) } else { tell(change, nil) }
            if change.hasMore { retry(now: now) }
        }
    }

    private func tell(_ change: Unwritten.Change, _ failure: StoreFailure?) {
        let store = ("store", EventLog.Value.text("\(kind)"))
        if change.begins, let failure {
            log.write("store_write_failed", [store, ("reason", .text("\(failure.reason)"))])
        }
        if change.ends { log.write("store_write_restored", [store]) }
    }
}
