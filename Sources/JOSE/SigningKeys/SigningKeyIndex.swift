import Bytes

/// The gateway's own signing keys and their states: one active key, at most one next key, and retired ones.
package struct SigningKeyIndex: Equatable, Sendable {
    /// In the order of their creation.
    package internal(set) var keys: [SigningKeyEntry]
    /// Counts the changes of keys that several directories share, so that the newer of two indices is known; 0 for others.
    package var generation: Int64 = 0

    /// An index with a key that signs since its creation.
    package init(active: SigningKeyEntry) {
        var active = active
        active.activate(now: active.createdAt)
        keys = [active]
    }

    init(checked keys: [SigningKeyEntry], generation: Int64) {
        self.keys = keys
        self.generation = generation
    }

    package var active: SigningKeyEntry { keys[position(of: .active)!] }

    package var next: SigningKeyEntry? { position(of: .next).map { keys[$0] } }

    /// The keys that are published and whose tokens are accepted, the active one first.
    package func accepted(at now: Int64) -> [SigningKeyEntry] {
        [active] + keys.filter { $0.state != .active && !$0.hasEnded(at: now) }
    }

    /// Adds a key, which does not sign yet.
    package mutating func publish(_ key: SigningKeyEntry) throws(SigningKeyError) {
        if let next { throw .conflict("there is a next key already: \"\(next.keyID)\"") }
        guard !keys.contains(where: { $0.keyID.isExactly(key.keyID) }) else {
            throw .conflict("there is a signing key \"\(key.keyID)\" already")
        }
        keys.append(key)
    }

    /// Signs with the next key from now on, and retires the active one.
    /// - Parameter waits: whether the next key must have been published for the time that the terms require.
    package mutating func promote(_ terms: SigningKeyTerms, now: Int64, waits: Bool = true) throws(SigningKeyError) {
        guard let place = position(of: .next) else { throw .conflict("there is no next key") }
        let wait = terms.promotion(of: keys[place]) - now
        if waits, wait > 0 {
            throw .conflict(
                "the next key \"\(keys[place].keyID)\" must be published for \(terms.publishSeconds) s before it signs; \(wait) s are left"
            )
        }
        keys[position(of: .active)!].retire(now: now, acceptSeconds: terms.acceptSeconds)
        keys[place].activate(now: now)
    }

    /// Removes a key at once. In place of the active key, the next one signs.
    package mutating func remove(
        _ keyID: String, _ terms: SigningKeyTerms, now: Int64
    ) throws(SigningKeyError) -> SigningKeyEntry {
        guard let place = keys.firstIndex(where: { $0.keyID.isExactly(keyID) }) else { throw .unknown(keyID: keyID) }
        if keys[place].state == .active {
            guard next != nil else {
                throw .conflict("\"\(keyID)\" is the active key and there is no next one; rotate first")
            }
            try promote(terms, now: now, waits: false)
        }
        return keys.remove(at: place)
    }

    /// Removes the keys whose last token has ended.
    package mutating func removeEnded(now: Int64) -> [SigningKeyEntry] {
        let ended = keys.filter { $0.hasEnded(at: now) }
        keys.removeAll { $0.hasEnded(at: now) }
        return ended
    }

    private func position(of state: SigningKeyEntry.State) -> Int? { keys.firstIndex { $0.state == state } }
}
