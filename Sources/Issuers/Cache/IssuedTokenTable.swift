import Identity

/// Issued tokens by key: a bounded table with least-recently-used eviction (CACHE-06). Not thread-safe.
///
/// Entries are slots of one array in two linked lists: all entries by use, and those of one subject, so that a logout
/// finds its tokens without a scan.
struct IssuedTokenTable {
    private struct Entry {
        let key: InjectionKey
        var token: IssuedToken
    }

    /// The neighbours of a slot in a list, by index; -1 for none.
    private struct Links {
        /// Towards the most recently used.
        var newer = -1
        var older = -1
        var previousOfSubject = -1
        var nextOfSubject = -1
    }

    private let capacity: Int
    private var entries: [Entry?] = []
    private var links: [Links] = []
    private var free: [Int] = []
    private var indices: [InjectionKey: Int] = [:]
    private var firstOfSubject: [[UInt8]: Int] = [:]
    private var newest = -1
    private var oldest = -1

    init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    var count: Int { indices.count }

    /// The token of a key, which becomes the most recently used.
    mutating func use(_ key: InjectionKey) -> IssuedToken? {
        guard let index = indices[key] else { return nil }
        makeNewest(index)
        return entries[index]?.token
    }

    /// Stores a token as the most recently used one.
    /// - Returns: whether another one was evicted.
    mutating func insert(_ token: IssuedToken, for key: InjectionKey) -> Bool {
        if let index = indices[key] {
            entries[index]?.token = token
            makeNewest(index)
            return false
        }
        let evicts = count == capacity
        if evicts { remove(at: oldest) }
        let index = place(Entry(key: key, token: token))
        indices[key] = index
        linkNewest(index)
        linkSubject(index)
        return evicts
    }

    /// Removes the token of a key; with `token`, only if it is that one.
    /// - Returns: whether one was removed.
    mutating func remove(_ key: InjectionKey, ifSame token: IssuedToken? = nil) -> Bool {
        guard let index = indices[key] else { return false }
        if let token, entries[index]?.token !== token { return false }
        remove(at: index)
        return true
    }

    /// Removes all tokens of a subject; returns their number.
    mutating func removeAll(subject: [UInt8]) -> Int {
        var removed = 0
        while let index = firstOfSubject[subject] {
            remove(at: index)
            removed += 1
        }
        return removed
    }

    /// Removes all tokens with matching keys by a full scan; returns their number.
    mutating func removeAll(where fits: (InjectionKey) -> Bool) -> Int {
        let doomed = indices.filter { fits($0.key) }.values
        for index in doomed { remove(at: index) }
        return doomed.count
    }

    /// Number of a subject's tokens.
    func count(subject: [UInt8]) -> Int {
        var count = 0
        var index = firstOfSubject[subject] ?? -1
        while index >= 0 {
            count += 1
            index = links[index].nextOfSubject
        }
        return count
    }

    private mutating func place(_ entry: Entry) -> Int {
        if let index = free.popLast() {
            entries[index] = entry
            links[index] = Links()
            return index
        }
        entries.append(entry)
        links.append(Links())
        return entries.count - 1
    }

    private mutating func remove(at index: Int) {
        guard let entry = entries[index] else { return }
        unlinkUse(index)
        unlinkSubject(index, entry.key.principal.subjectBytes)
        indices[entry.key] = nil
        entries[index] = nil
        free.append(index)
    }

    private mutating func makeNewest(_ index: Int) {
        guard index != newest else { return }
        unlinkUse(index)
        linkNewest(index)
    }

    private mutating func linkNewest(_ index: Int) {
        links[index].older = newest
        links[index].newer = -1
        if newest >= 0 { links[newest].newer = index } else { oldest = index }
        newest = index
    }

    private mutating func unlinkUse(_ index: Int) {
        let link = links[index]
        if link.newer >= 0 { links[link.newer].older = link.older } else { newest = link.older }
        if link.older >= 0 { links[link.older].newer = link.newer } else { oldest = link.newer }
    }

    private mutating func linkSubject(_ index: Int) {
        guard let subject = entries[index]?.key.principal.subjectBytes else { return }
        let first = firstOfSubject.updateValue(index, forKey: subject) ?? -1
        links[index].nextOfSubject = first
        if first >= 0 { links[first].previousOfSubject = index }
    }

    private mutating func unlinkSubject(_ index: Int, _ subject: [UInt8]) {
        let link = links[index]
        if link.nextOfSubject >= 0 { links[link.nextOfSubject].previousOfSubject = link.previousOfSubject }
        if link.previousOfSubject >= 0 {
            links[link.previousOfSubject].nextOfSubject = link.nextOfSubject
        } else {
            firstOfSubject[subject] = link.nextOfSubject >= 0 ? link.nextOfSubject : nil
        }
    }
}
