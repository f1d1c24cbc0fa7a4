import TokenStorage

/// What must be true of the store after all that was acknowledged so far, and what may be true of it as well: an
/// operation that was under way when its process was killed has happened or not.
struct Ledger {
    private struct Lane {
        /// The token that was acknowledged last; nil for none.
        var token: String?
        /// What was under way.
        var next: String??
    }

    private var lanes: [String: Lane] = [:]
    private var shared: [String: String] = [:]
    /// Tokens that were replaced or revoked, or denied by themselves.
    private var dead: Set<String> = []
    /// Single-use keys that this round has used.
    private var used: [String] = []
    private var denied: Set<String> = []
    private var place: Int64 = 0
    private(set) var acknowledged = 0
    private(set) var violations: [String] = []

    /// Takes a line of a victim.
    mutating func take(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        if words.first == "!" { acknowledged += 1 }
        switch (words.first, words.count) {
        case ("?", 3): lanes[words[1], default: Lane()].next = .some(words[2] == "-" ? nil : words[2])
        case ("!", 2): settle(words[1], toNext: true)
        case ("!", 3) where words[1] == "denied": dead.insert(words[2])
        case ("!", 3) where words[1] == "used": used.append(words[2])
        case ("!", 4):
            if let other = shared[words[2]], other != words[3] {
                violations.append("\(words[2]) was given as two pairs")
            }
            shared[words[2]] = words[3]
        default: violations.append("a victim says: \(line)")
        }
    }

    private mutating func settle(_ name: String, toNext: Bool) {
        guard var lane = lanes[name] else { return }
        if toNext, let next = lane.next {
            if let old = lane.token { dead.insert(old) }
            lane.token = next
        }
        lane.next = nil
        lanes[name] = lane
    }

    /// Holds the store against all that is known of it.
    mutating func check(_ store: any TokenStore) throws {
        var living: [String: TokenRecord] = [:]
        for record in try store.records() {
            if living.updateValue(record, forKey: record.slot) != nil {
                violations.append("\(record.slot) has two pairs")
            }
        }
        for (name, lane) in lanes {
            let found = living[name]?.tokenID
            let isNext = lane.next.map { $0 == found } ?? false
            if found != lane.token, !isNext {
                violations.append("\(name): \(lane.token ?? "none") was acknowledged, \(found ?? "none") is there")
            }
            settle(name, toNext: isNext && found != lane.token)
        }
        for (slot, token) in shared where living[slot]?.tokenID != token {
            violations.append("\(slot): \(token) was given, \(living[slot]?.tokenID ?? "none") is there")
        }
        try readChanges(store)
        for token in dead.subtracting(denied) { violations.append("\(token) is revoked and not on the deny list") }
        for record in living.values {
            if denied.contains(record.tokenID) { violations.append("\(record.tokenID) lives and is denied") }
            let digest = TokenRecord.refreshDigest(of: record.tokenID)
            if try store.ask(.find(.refresh(digest))) != .record(record) {
                violations.append("\(record.tokenID) is not found")
            }
        }
        for token in dead.shuffled().prefix(100) {
            if try store.ask(.find(.refresh(TokenRecord.refreshDigest(of: token)))) != .record(nil) {
                violations.append("\(token) is revoked and can be refreshed")
            }
        }
        for key in used where try store.ask(.remember(key: key, until: .max)) != .fresh(false) {
            violations.append("\(key) can be used again")
        }
        used = []
    }

    private mutating func readChanges(_ store: any TokenStore) throws {
        while true {
            let answer = try store.ask(.changes(after: place, limit: 10_000))
            guard case .changes(let changes, let latest) = answer else { throw CrashFailure.unexpected(answer) }
            denied.formUnion(changes.map(\.entry.name))
            place = changes.last?.sequence ?? max(place, latest)
            if changes.count < 10_000 { return }
        }
    }

    /// Reads the deny list from its start, in place of what came since the last time.
    mutating func forgetChanges() {
        place = 0
        denied = []
    }
}
