import Identity

/// Issued tokens by key, bounded, the least recently used one dropped first (CACHE-06). Not thread-safe.
///
/// Entries are slots of one array, threaded by two lists: all of them in order of use, and those of one subject, so that
/// a logout finds its tokens without walking the table.
struct TokenTable {
    private struct Slot {
        let key: InjectionKey
        var token: IssuedToken
        /// Neighbours in order of use: `newer` towards the most recent.
        var newer: Int?
        var older: Int?
        /// Neighbours in the list of the subject.
        var nextOfSubject: Int?
        var previousOfSubject: Int?
    }

    private let capacity: Int
    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var indices: [InjectionKey: Int] = [:]
    private var firstOfSubject: [[UInt8]: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    var count: Int { indices.count }

    /// The token of a key, which becomes the most recently used one.
    mutating func use(_ key: InjectionKey) -> IssuedToken? {
        guard let index = indices[key] else { return nil }
        unlinkUse(index)
        linkNewest(index)
        return slots[index]?.token
    }

    /// Stores a token as the most recently used one.
    /// - Returns: whether another one had to go for it.
    mutating func insert(_ token: IssuedToken, for key: InjectionKey) -> Bool {
        if let index = indices[key] {
            slots[index]?.token = token
            unlinkUse(index)
            linkNewest(index)
            return false
        }
        var evicted = false
        if count == capacity, let oldest {
            remove(at: oldest)
            evicted = true
        }
        let slot = Slot(key: key, token: token)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
        }
        indices[key] = index
        linkNewest(index)
        linkSubject(index)
        return evicted
    }

    /// Removes the token of a key; where `token` is given, only if it is that one.
    /// - Returns: whether there was one.
    mutating func remove(_ key: InjectionKey, ifSame token: IssuedToken? = nil) -> Bool {
        guard let index = indices[key] else { return false }
        if let token, slots[index]?.token !== token { return false }
        remove(at: index)
        return true
    }

    /// Removes all tokens of a subject and returns how many they were.
    mutating func removeAll(subject: [UInt8]) -> Int {
        var removed = 0
        while let index = firstOfSubject[subject] {
            remove(at: index)
            removed += 1
        }
        return removed
    }

    /// Removes all tokens whose key fits, by a walk over the whole table, and returns how many they were.
    mutating func removeAll(where fits: (InjectionKey) -> Bool) -> Int {
        let doomed = indices.filter { fits($0.key) }.values
        for index in doomed { remove(at: index) }
        return doomed.count
    }

    /// How many tokens a subject has.
    func count(subject: [UInt8]) -> Int {
        var count = 0
        var next = firstOfSubject[subject]
        while let index = next {
            count += 1
            next = slots[index]?.nextOfSubject
        }
        return count
    }

    private mutating func remove(at index: Int) {
        guard let slot = slots[index] else { return }
        unlinkUse(index)
        unlinkSubject(index)
        indices[slot.key] = nil
        slots[index] = nil
        free.append(index)
    }

    private mutating func linkNewest(_ index: Int) {
        slots[index]?.older = newest
        slots[index]?.newer = nil
        if let newest { slots[newest]?.newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlinkUse(_ index: Int) {
        guard let slot = slots[index] else { return }
        if let newer = slot.newer { slots[newer]?.older = slot.older } else { newest = slot.older }
        if let older = slot.older { slots[older]?.newer = slot.newer } else { oldest = slot.newer }
    }

    private mutating func linkSubject(_ index: Int) {
        guard let subject = slots[index]?.key.principal.subjectBytes else { return }
        let first = firstOfSubject[subject]
        slots[index]?.nextOfSubject = first
        if let first { slots[first]?.previousOfSubject = index }
        firstOfSubject[subject] = index
    }

    private mutating func unlinkSubject(_ index: Int) {
        guard let slot = slots[index] else { return }
        if let next = slot.nextOfSubject { slots[next]?.previousOfSubject = slot.previousOfSubject }
        if let previous = slot.previousOfSubject {
            slots[previous]?.nextOfSubject = slot.nextOfSubject
        } else {
            firstOfSubject[slot.key.principal.subjectBytes] = slot.nextOfSubject
        }
    }
}
