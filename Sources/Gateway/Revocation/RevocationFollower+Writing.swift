import Synchronization
import TokenStorage

/// Handles writes that the store has not accepted.
extension RevocationFollower {
    /// Whether a failed revocation is retried later.
    var retries: Bool { isFollowing }

    /// Writes to the store as soon as it answers. Does nothing without other processes.
    func keep(_ operation: StoreOperation) {
        if retries { unwritten.withLock { $0.keep(operation) } }
    }

    /// A write failed.
    func failed(_ operation: StoreOperation, _ failure: StoreFailure) {
        // The server has the change but its replicas do not: a retry would append another entry.
        guard retries, !operation.isRead, failure != .notReplicated else { return }
        let change = unwritten.withLock { state in
            if case .deny = operation { state.keep(operation) }
            return state.failed(failure)
        }
        tell(change, failure)
    }

    /// Retries pending writes, or tests whether the store accepts writes.
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
            log.write(.storeWriteFailed, [store, ("reason", .text("\(failure.reason)"))])
        }
        if change.ends { log.write(.storeWriteRestored, [store]) }
    }
}
