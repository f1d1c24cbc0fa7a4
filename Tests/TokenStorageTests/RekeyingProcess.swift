import Synchronization
import TokenStorage

/// The passes of one process.
struct RekeyingProcess {
    private let queue = RekeyingQueue()
    private let last = LastRecord()
    private let rekeying: StoreRekeying

    private final class LastRecord: Sendable {
        let record = Mutex<StoreRekeying.Record?>(nil)
    }

    init(_ store: any TokenStore, _ key: TokenDigestKey) {
        rekeying = StoreRekeying(
            later: { [queue] in queue.submit($0) }, done: { [last] record in last.record.withLock { $0 = record } })
        rekeying.use(store, key)
    }

    func pass(now: Int64) -> StoreRekeying.Record? {
        last.record.withLock { $0 = nil }
        rekeying.tick(now: now)
        queue.run { last.record.withLock { $0 != nil } }
        return last.record.withLock { $0 }
    }
}

/// A store in which another process moves a token's record right after the first question about it.
final class MovingStore: TokenStore {
    let token = Mutex<String?>(nil)
    private let store: any TokenStore
    private let move: @Sendable (String, @escaping @Sendable () -> Void) -> Void

    init(
        _ store: any TokenStore, move: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Void
    ) {
        self.store = store
        self.move = move
    }

    var kind: StaticString { store.kind }
    var state: StoreState { store.state }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        let due = token.withLock { token in
            defer { token = nil }
            return token
        }
        guard let due else { return store.perform(operation, now: now, then: then) }
        store.perform(operation, now: now) { [move] result in move(due) { then(result) } }
    }
}

/// Runs what is submitted on the thread of the test.
final class RekeyingQueue: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    func submit(_ job: @escaping @Sendable () -> Void) { work.withLock { $0.append(job) } }

    /// Runs until nothing has come for a while, as stores answer from threads of their own.
    func run(until isOver: () -> Bool = { false }) {
        let deadline = ContinuousClock.now + .seconds(2)
        var lastAt = ContinuousClock.now
        while ContinuousClock.now < deadline, ContinuousClock.now - lastAt < .milliseconds(200), !isOver() {
            let jobs = work.withLock { work in
                defer { work = [] }
                return work
            }
            if !jobs.isEmpty { lastAt = ContinuousClock.now }
            for job in jobs { job() }
        }
    }
}

/// A store that is gone after some changes.
final class FailingStore: TokenStore {
    private let store: any TokenStore
    private let left: Mutex<Int>

    init(_ store: any TokenStore, after changes: Int) {
        self.store = store
        left = Mutex(changes)
    }

    var kind: StaticString { store.kind }
    var state: StoreState { store.state }
    var hasFailed: Bool { left.withLock { $0 < 0 } }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if case .rekey = operation {
            let isLeft = left.withLock { left in
                left -= 1
                return left >= 0
            }
            guard isLeft else { return then(.failure(.unavailable)) }
        }
        store.perform(operation, now: now, then: then)
    }
}
