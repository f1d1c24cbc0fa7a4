import Synchronization

/// The default store: in the memory of one process, lost when it ends (DEC-10).
package final class MemoryTokenStore: TokenStore {
    private let table: Mutex<MemoryTokenTable>
    private let capacity: Int

    /// Maximum number of entries removed at once to make room.
    private static let cleaningStep = 1024

    /// - Parameter capacity: maximum number of records, deny entries and so on, each. A full store refuses new entries;
    ///   deny entries are never removed before they expire.
    package init(capacity: Int = 262_144) {
        table = Mutex(MemoryTokenTable())
        self.capacity = capacity
    }

    package var kind: StaticString { "memory" }
    package var state: StoreState { .ok }

    package func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        let result = table.withLock { table in
            Result { () throws(StoreFailure) in
                if !table.hasRoom(for: operation, capacity: capacity) {
                    _ = table.clean(limit: MemoryTokenStore.cleaningStep, now: now)
                    if !table.hasRoom(for: operation, capacity: capacity) { throw .full }
                }
                return try table.perform(operation, now: now)
            }
        }
        then(result)
    }
}
