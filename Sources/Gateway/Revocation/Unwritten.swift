import TokenStorage

/// Writes that the store has not accepted: its state, and the pending revocations.
struct Unwritten: Sendable {
    /// Effect of a result.
    struct Change: Equatable {
        /// The first failure to accept a write.
        var begins = false
        /// The store accepts all writes again.
        var ends = false
        /// Whether to try the next one immediately.
        var hasMore = false
    }

    /// Why it accepts no writes; nil while it does.
    private(set) var reason: StoreFailure?
    private var waiting: [Revocation] = []
    private var names: Set<Revocation.Name> = []
    private var isTrying = false

    var count: Int { waiting.count }

    /// A key with no other use.
    private static let trial = "\u{1f}store trial"

    /// A write failed. A refusal because of queued operations says nothing about the store.
    mutating func failed(_ failure: StoreFailure) -> Change {
        guard failure != .overloaded else { return Change() }
        defer { reason = failure }
        return Change(begins: reason == nil)
    }

    /// Keeps a revocation until the store accepts it. Equivalent ones are merged, with the later expiry.
    mutating func keep(_ operation: StoreOperation) {
        guard let revocation = Revocation(operation) else { return }
        if names.insert(revocation.name).inserted {
            waiting.append(revocation)
        } else if let place = waiting.firstIndex(where: { $0.name == revocation.name }) {
            waiting[place].merge(revocation)
        }
    }

    /// The operation to try now; nil for none. One at a time.
    mutating func attempt(now: Int64) -> StoreOperation? {
        guard !isTrying else { return nil }
        while let first = waiting.first, first.hasEnded(now: now) { removeFirst() }
        // A store may accept revocations and nothing else, so a write of another kind is tested as well.
        let next = waiting.first?.operation ?? reason.map { _ in .remember(key: Unwritten.trial, until: now) }
        isTrying = next != nil
        return next
    }

    /// Processes the result of the attempt.
    mutating func tried(_ operation: StoreOperation, _ result: Result<StoreAnswer, StoreFailure>) -> Change {
        isTrying = false
        switch result {
        case .failure(let failure): return failed(failure)
        case .success:
            guard let revocation = Revocation(operation) else {
                defer { reason = nil }
                return Change(ends: reason != nil, hasMore: !waiting.isEmpty)
            }
            // A repeated request may have extended it beyond what was written.
            if waiting.first == revocation { removeFirst() }
            return Change(hasMore: !waiting.isEmpty || reason != nil)
        }
    }

    private mutating func removeFirst() { names.remove(waiting.removeFirst().name) }
}

/// A revocation that can be retried: a deny entry, or the record of one token.
private enum Revocation: Sendable, Equatable {
    /// The identity of equivalent revocations. Texts are compared by bytes.
    struct Name: Hashable {
        var kind: DenyEntry.Kind?
        var name: [UInt8]
        var subject: [UInt8]
    }

    case entry(DenyEntry)
    case record(tokenID: String)

    /// Nil for other operations.
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

    /// Takes the later expiry of an equivalent one.
    mutating func merge(_ other: Revocation) {
        guard case .entry(var entry) = self, case .entry(let later) = other else { return }
        entry.issuedBefore = max(entry.issuedBefore, later.issuedBefore)
        entry.until = max(entry.until, later.until)
        self = .entry(entry)
    }

    /// Whether the revoked tokens have expired.
    func hasEnded(now: Int64) -> Bool {
        if case .entry(let entry) = self { entry.until <= now } else { false }
    }
}
