import Bytes

/// Tables in dictionaries. Texts are keyed by their bytes, so Unicode-equivalent names stay distinct.
final class MemoryTokenTable: TokenTable {
    /// The bytes of a text or digest.
    private typealias Key = [UInt8]

    private var tokens: [Key: TokenRecord] = [:]
    private var idBySlot: [Key: Key] = [:]
    private var idByAccess: [Key: Key] = [:]
    private var idByRefresh: [Key: Key] = [:]
    private var idByTokenID: [Key: Key] = [:]
    private var idsBySubject: [Key: Set<Key>] = [:]
    /// Ids by the hour since 1970 in which the record expires, so that cleaning need not scan all of them.
    private var idsByEnd: [Int64: Set<Key>] = [:]
    private var used: [Key: UsedRefresh] = [:]
    private var singleUses: [Key: Int64] = [:]
    /// By sequence number, ascending.
    private var denied: [DenyChange] = []
    private var lastSequence: Int64 = 0

    private static func hour(_ time: Int64) -> Int64 { time / 3600 }

    // MARK: Records

    func record(_ key: TokenKey) -> TokenRecord? {
        let id: Key? =
            switch key {
            case .access(let digest): idByAccess[digest]
            case .refresh(let digest): idByRefresh[digest]
            case .family(let digest): idByRefresh[digest] ?? used[digest].map { Array($0.family.utf8) }
            case .id(let id): Array(id.utf8)
            case .names(let names): names.lazy.map { Array($0.utf8) }.first { tokens[$0] != nil }
            case .tokenID(let id): idByTokenID[Array(id.utf8)]
            }
        return id.flatMap { tokens[$0] }
    }

    func record(inSlot slot: String) -> TokenRecord? {
        idBySlot[Array(slot.utf8)].flatMap { tokens[$0] }
    }

    func records(application: String?, subject: String?, limit: Int) -> [TokenRecord] {
        let candidates: [TokenRecord]
        if let subject {
            candidates = (idsBySubject[Array(subject.utf8)] ?? []).compactMap { tokens[$0] }
        } else {
            candidates = Array(tokens.values)
        }
        let chosen = candidates.filter { record in
            application.map { record.application.isExactly($0) } ?? true
        }
        return Array(chosen.sorted(by: MemoryTokenTable.isNewer).prefix(limit))
    }

    /// Place is the hour of the records before. Hours are not divided.
    func survey(from place: String, limit: Int) -> (records: [TokenRecord], next: String) {
        let last = Int64(place) ?? .min
        guard let hour = idsByEnd.keys.lazy.filter({ $0 > last }).min() else { return ([], "") }
        return ((idsByEnd[hour] ?? []).compactMap { tokens[$0] }, String(hour))
    }

    private static func isNewer(_ left: TokenRecord, _ right: TokenRecord) -> Bool {
        if left.issuedAt != right.issuedAt { return left.issuedAt > right.issuedAt }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }

    func insert(_ record: TokenRecord) {
        let id = Key(record.id.utf8)
        tokens[id] = record
        if !record.slot.isEmpty { idBySlot[Array(record.slot.utf8)] = id }
        if let digest = record.accessDigest { idByAccess[digest] = id }
        if let digest = record.refreshDigest { idByRefresh[digest] = id }
        if !record.tokenID.isEmpty { idByTokenID[Array(record.tokenID.utf8)] = id }
        idsBySubject[Array(record.subject.utf8), default: []].insert(id)
        idsByEnd[MemoryTokenTable.hour(record.endsAt), default: []].insert(id)
    }

    func remove(_ record: TokenRecord) {
        let id = Key(record.id.utf8)
        tokens[id] = nil
        if !record.slot.isEmpty { idBySlot[Array(record.slot.utf8)] = nil }
        if let digest = record.accessDigest { idByAccess[digest] = nil }
        if let digest = record.refreshDigest { idByRefresh[digest] = nil }
        if !record.tokenID.isEmpty { idByTokenID[Array(record.tokenID.utf8)] = nil }
        MemoryTokenTable.remove(id, of: Array(record.subject.utf8), from: &idsBySubject)
        MemoryTokenTable.remove(id, of: MemoryTokenTable.hour(record.endsAt), from: &idsByEnd)
    }

    func touch(_ use: TokenUse) -> Bool {
        guard let known = tokens[Key(use.id.utf8)] else { return false }
        var record = known
        record.lastUsedAt = max(known.lastUsedAt, use.usedAt)
        record.accessExpiresAt = max(known.accessExpiresAt, use.accessUntil)
        if record != known {
            remove(known)
            insert(record)
        }
        return true
    }

    private static func remove<Group: Hashable>(_ id: Key, of group: Group, from index: inout [Group: Set<Key>]) {
        index[group]?.remove(id)
        if index[group]?.isEmpty == true { index[group] = nil }
    }

    // MARK: Deny list

    func append(_ entry: DenyEntry) -> Int64 {
        lastSequence += 1
        denied.append(DenyChange(sequence: lastSequence, entry: entry))
        return lastSequence
    }

    func changes(after sequence: Int64, limit: Int) -> [DenyChange] {
        var low = 0
        var high = denied.count
        while low < high {
            let middle = (low + high) / 2
            if denied[middle].sequence > sequence { high = middle } else { low = middle + 1 }
        }
        return Array(denied[low...].prefix(limit))
    }

    func latestSequence() -> Int64 { lastSequence }

    // MARK: Single use

    func usedRefresh(_ digest: [UInt8]) -> UsedRefresh? { used[digest] }

    func remember(_ use: UsedRefresh, digest: [UInt8]) { used[digest] = use }

    func singleUse(_ key: String) -> Int64? { singleUses[Array(key.utf8)] }

    func remember(singleUse key: String, until: Int64) { singleUses[Array(key.utf8)] = until }

    // MARK: Capacity

    /// Whether there is room for an operation with `capacity` entries of each kind. Revocation always has room: it only
    /// denies recorded tokens, whose number is limited.
    func hasRoom(for operation: StoreOperation, capacity: Int) -> Bool {
        switch operation {
        case .find, .successor, .changes, .list, .survey, .revoke, .touch, .clean, .rekey: true
        case .claim, .replace, .insert, .rotate: max(tokens.count, denied.count, used.count) < capacity
        case .remember: singleUses.count < capacity
        // Administrators can add entries after clients have used up their share.
        case .deny: denied.count < 2 * capacity
        }
    }

    func clean(limit: Int, now: Int64) -> (records: Int, most: Int) {
        let before = [used.count, singleUses.count, denied.count]
        var removed = 0
        for hour in idsByEnd.keys.filter({ $0 <= MemoryTokenTable.hour(now) }).sorted() {
            for record in (idsByEnd[hour] ?? []).compactMap({ tokens[$0] }) where record.endsAt <= now {
                if removed == limit { break }
                remove(record)
                removed += 1
            }
        }
        for key in used.lazy.filter({ $0.value.until <= now }).map(\.key).prefix(limit) { used[key] = nil }
        for key in singleUses.lazy.filter({ $0.value <= now }).map(\.key).prefix(limit) { singleUses[key] = nil }
        var left = limit
        denied.removeAll { change in
            guard left > 0, change.entry.until <= now else { return false }
            left -= 1
            return true
        }
        let dropped = zip(before, [used.count, singleUses.count, denied.count]).map { $0 - $1 }
        return (removed, max(removed, dropped.max() ?? 0))
    }
}
