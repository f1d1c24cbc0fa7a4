import Tokens

/// What the store has not taken: whether it takes anything, and the revocations that wait for it.
struct Unwritten: Sendable {
    /// What an answer has changed.
    struct Change: Equatable {
        /// The store has just failed to take something for the first time.
        var begins = false
        /// It takes everything again.
        var ends = false
        /// There is more to be tried at once.
        var hasMore = false
    }

    /// Why it takes nothing; nil while it does.
    private(set) var reason: StoreFailure?
    private var waiting: [StoreOperation] = []
    private var known: Set<[UInt8]> = []
    private var isTrying = false

    var count: Int { waiting.count }

    /// A key that nothing else has.
    private static let trial = "\u{1f}store trial"

    /// A write has failed. One that is refused since others wait already says nothing of the store.
    mutating func failed(_ failure: StoreFailure) -> Change {
        guard failure != .overloaded else { return Change() }
        defer { reason = failure }
        return Change(begins: reason == nil)
    }

    /// Keeps a revocation until the store takes it. One that waits already is not kept twice.
    mutating func keep(_ operation: StoreOperation) {
        if let name = Unwritten.name(operation), known.insert(name).inserted { waiting.append(operation) }
    }

    /// What is to be tried now; nil for nothing. One at a time.
    mutating func attempt(now: Int64) -> StoreOperation? {
        guard !isTrying else { return nil }
        while let first = waiting.first, first.hasEnded(now: now) { removeFirst() }
        // A store may take revocations and nothing else: whether it takes everything is another question.
        let next = waiting.first ?? reason.map { _ in .remember(key: Unwritten.trial, until: now) }
        isTrying = next != nil
        return next
    }

    /// What the attempt has come to.
    mutating func tried(_ operation: StoreOperation, _ result: Result<StoreAnswer, StoreFailure>) -> Change {
        isTrying = false
        switch result {
        case .failure(let failure): return failed(failure)
        case .success:
            if case .remember = operation {
                defer { reason = nil }
                return Change(ends: reason != nil, hasMore: !waiting.isEmpty)
            }
            removeFirst()
            return Change(hasMore: !waiting.isEmpty || reason != nil)
        }
    }

    private mutating func removeFirst() {
        if let name = Unwritten.name(waiting.removeFirst()) { known.remove(name) }
    }

    /// By which two that are the same are known; nil for what is no revocation.
    private static func name(_ operation: StoreOperation) -> [UInt8]? {
        switch operation {
        case .deny(let entry):
            Array("\(entry.kind.rawValue) \(entry.issuedBefore) \(entry.until) \(entry.subject.utf8.count) ".utf8)
                + Array(entry.subject.utf8) + Array(entry.name.utf8)
        case .revoke(.one(.tokenID(let id))): Array("record ".utf8) + Array(id.utf8)
        default: nil
        }
    }
}

extension StoreOperation {
    /// Whether what is to be denied has ended by itself.
    fileprivate func hasEnded(now: Int64) -> Bool {
        if case .deny(let entry) = self { entry.until <= now } else { false }
    }
}
