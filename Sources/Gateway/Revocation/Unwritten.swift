import TokenStorage

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
    private var waiting: [Revocation] = []
    private var names: Set<Revocation.Name> = []
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

    /// Keeps a revocation until the store takes it. Of two that mean the same one waits, with the later ends of both.
    mutating func keep(_ operation: StoreOperation) {
        guard let revocation = Revocation(operation) else { return }
        if names.insert(revocation.name).inserted {
            waiting.append(revocation)
        } else if let place = waiting.firstIndex(where: { $0.name == revocation.name }) {
            waiting[place].merge(revocation)
        }
    }

    /// What is to be tried now; nil for nothing. One at a time.
    mutating func attempt(now: Int64) -> StoreOperation? {
        guard !isTrying else { return nil }
        while let first = waiting.first, first.hasEnded(now: now) { removeFirst() }
        // A store may take revocations and nothing else: whether it takes everything is another question.
        let next = waiting.first?.operation ?? reason.map { _ in .remember(key: Unwritten.trial, until: now) }
        isTrying = next != nil
        return next
    }

    /// What the attempt has come to.
    mutating func tried(_ operation: StoreOperation, _ result: Result<StoreAnswer, StoreFailure>) -> Change {
        isTrying = false
        switch result {
        case .failure(let failure): return failed(failure)
        case .success:
            guard let revocation = Revocation(operation) else {
                defer { reason = nil }
                return Change(ends: reason != nil, hasMore: !waiting.isEmpty)
            }
            // What was asked for again meanwhile may mean more than what was written.
            if waiting.first == revocation { removeFirst() }
            return Change(hasMore: !waiting.isEmpty || reason != nil)
        }
    }

    private mutating func removeFirst() { names.remove(waiting.removeFirst().name) }
}

/// A revocation that can wait: an entry of the deny list, or the record of one token.
private enum Revocation: Sendable, Equatable {
    /// What two that mean the same have in common. Texts by their bytes.
    struct Name: Hashable {
        var kind: DenyEntry.Kind?
        var name: [UInt8]
        var subject: [UInt8]
    }

    case entry(DenyEntry)
    case record(tokenID: String)

    /// Nil for what is none.
    init?(_ operation: StoreOperation) {
        switch operation {
        case .deny(let entry): self = .entry(entry)
        case .revoke(.one(.tokenID(let id))): self = .record(tokenID: id)
        default: return nil
        }
    }

    var operation: StoreOperation {
        switch self {
        case .entry(let entry): .deny(entry)
        case .record(let id): .revoke(.tokenID(id))
        }
    }

    var name: Name {
        switch self {
        case .entry(let entry):
            Name(kind: entry.kind, name: Array(entry.name.utf8), subject: Array(entry.subject.utf8))
        case .record(let id): Name(kind: nil, name: Array(id.utf8), subject: [])
        }
    }

    /// Takes the later ends of another one of the same name.
    mutating func merge(_ other: Revocation) {
        guard case .entry(var entry) = self, case .entry(let later) = other else { return }
        entry.issuedBefore = max(entry.issuedBefore, later.issuedBefore)
        entry.until = max(entry.until, later.until)
        self = .entry(entry)
    }

    /// Whether what is to be denied has ended by itself.
    func hasEnded(now: Int64) -> Bool {
        if case .entry(let entry) = self { entry.until <= now } else { false }
    }
}
