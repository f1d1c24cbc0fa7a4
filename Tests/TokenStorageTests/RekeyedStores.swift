import Synchronization
import TokenStorage

/// A store in which another process does something right after the first operation.
final class InterferedStore: TokenStore {
    private let store: any TokenStore
    private let other: Mutex<StoreOperation?>

    init(_ store: any TokenStore, _ other: StoreOperation) {
        self.store = store
        self.other = Mutex(other)
    }

    var kind: StaticString { store.kind }
    var state: StoreState { store.state }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        let due = other.withLock { other in
            defer { other = nil }
            return other
        }
        guard let due else { return store.perform(operation, now: now, then: then) }
        store.perform(operation, now: now) { [store] result in
            store.perform(due, now: now) { _ in then(result) }
        }
    }
}

/// A store that answers when the test lets it.
final class HeldStore: TokenStore {
    private typealias Answer = @Sendable (StoreFailure?) -> Void

    private let store: any TokenStore
    private let held = Mutex<[Answer]>([])

    init(_ store: any TokenStore) { self.store = store }

    var kind: StaticString { store.kind }
    var state: StoreState { store.state }
    var waiting: Int { held.withLock { $0.count } }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        let answer: Answer = { [store] failure in
            if let failure { then(.failure(failure)) } else { store.perform(operation, now: now, then: then) }
        }
        held.withLock { $0.append(answer) }
    }

    func release() { answer(nil) }
    func fail() { answer(.unavailable) }

    private func answer(_ failure: StoreFailure?) {
        let first = held.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        first?(failure)
    }
}
