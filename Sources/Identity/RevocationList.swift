import Synchronization

/// Revoked tokens whose signature and dates are valid. Kept in memory, shared by all workers. If a store is shared with
/// other processes, its follower reports when the list may be incomplete.
package final class RevocationList: Sendable {
    /// The state read by one atomic load.
    package struct Reading: Sendable, Equatable {
        fileprivate let word: UInt64

        /// Changes with every revocation; invalidates caches of verified tokens.
        package var generation: UInt64 { word >> 1 }

        /// Whether bearer tokens must be refused because revocations may be missing.
        package var isBlind: Bool { word & 1 == 1 }
    }

    /// A cut-off for a group of tokens: refuses those issued at or before an instant; kept until another instant.
    private struct Cutoff: Equatable {
        var issuedAt: Int64
        var until: Int64
    }

    /// One revoked token.
    private struct Listed {
        var until: Int64
        /// The comparison that has confirmed it last.
        var round: Int
    }

    private struct Entries {
        var tokens: [String: Listed] = [:]
        var subjects: [String: Cutoff] = [:]
        var clients: [String: Cutoff] = [:]
        var issuers: [String: Cutoff] = [:]
        /// Number of the comparison with the store.
        var round = 0
        /// Number of tokens that this comparison has not confirmed.
        var unconfirmed = 0

        var count: Int { tokens.count + subjects.count + clients.count + issuers.count }

        /// Whether a token or its family is listed, or it falls under its client's cut-off.
        func hold(_ tokenID: String?, of family: String?, _ backendID: String?, _ issuedAt: Int64) -> Bool {
            if let tokenID, tokens[tokenID] != nil { return true }
            if let family, tokens[family] != nil { return true }
            guard let backendID, let cutoff = clients[backendID] else { return false }
            return issuedAt <= cutoff.issuedAt
        }
    }

    private let entries = Mutex(Entries())
    private let occupied = Atomic<Bool>(false)
    /// The generation, and in the lowest bit whether the list is blind.
    private let word = Atomic<UInt64>(0)

    package init() {}

    /// Whether nothing is revoked: one atomic load, checked first on the hot path.
    package var isEmpty: Bool { !occupied.load(ordering: .acquiring) }

    /// The state of the list in one atomic load, for the hot path.
    package var reading: Reading { Reading(word: word.load(ordering: .acquiring)) }

    /// Changes with every revocation.
    package var generation: UInt64 { reading.generation }

    /// Sets whether bearer tokens are refused for now. Keeps the generation, and with it cached results.
    package func setBlind(_ isBlind: Bool) {
        if isBlind {
            word.bitwiseOr(1, ordering: .acquiringAndReleasing)
        } else {
            word.bitwiseAnd(~1, ordering: .acquiringAndReleasing)
        }
    }

    /// Number of entries.
    package var count: Int { entries.withLock { $0.count } }

    /// One revocation.
    package struct Refused: Sendable, Equatable {
        package enum Kind: Sendable { case token, subject, client, issuer }

        package var kind: Kind
        /// A token's `jti`, a subject, a client's id, or the name of an issuer's entry.
        package var name: String
        /// Applies to tokens issued at or before this second since 1970; unused (0) for a single token.
        package var issuedBefore: Int64
        /// When the entry can be removed, in seconds since 1970.
        package var until: Int64
    }

    /// All entries, unordered.
    package var contents: [Refused] {
        entries.withLock { entries in
            entries.tokens.map { Refused(kind: .token, name: $0.key, issuedBefore: 0, until: $0.value.until) }
        } + groups
    }

    /// The entries of groups of tokens, unordered.
    package var groups: [Refused] {
        func all(_ cutoffs: [String: Cutoff], _ kind: Refused.Kind) -> [Refused] {
            cutoffs.map { Refused(kind: kind, name: $0.key, issuedBefore: $0.value.issuedAt, until: $0.value.until) }
        }
        return entries.withLock { entries in
            all(entries.subjects, .subject) + all(entries.clients, .client) + all(entries.issuers, .issuer)
        }
    }

    /// Revokes one token by its `jti`, or those of a login by its id. Returns whether that is news.
    /// - Parameter until: seconds since 1970 when the token expires and the entry can be removed.
    @discardableResult
    package func revoke(tokenID: String, until: Int64) -> Bool {
        change { entries in
            guard let place = entries.tokens.index(forKey: tokenID) else {
                entries.tokens[tokenID] = Listed(until: until, round: entries.round)
                return true
            }
            let known = entries.tokens.values[place]
            guard known.until <= until else { return false }
            if known.round != entries.round { entries.unconfirmed -= 1 }
            entries.tokens.values[place] = Listed(until: until, round: entries.round)
            return known.until < until
        }
    }

    /// Revokes all tokens of a subject issued at or before this second. This includes tokens issued later within the
    /// same second: one extra login is better than a surviving token.
    /// - Parameter until: when the longest-lived of them expires.
    @discardableResult
    package func revoke(subject: String, issuedBefore instant: Int64, until: Int64) -> Bool {
        change { RevocationList.merge(Cutoff(issuedAt: instant, until: until), into: &$0.subjects[subject]) }
    }

    /// Revokes all tokens of a client issued at or before this second.
    @discardableResult
    package func revoke(backendID: String, issuedBefore instant: Int64, until: Int64) -> Bool {
        change { RevocationList.merge(Cutoff(issuedAt: instant, until: until), into: &$0.clients[backendID]) }
    }

    /// Revokes all tokens of an issuer issued at or before this second.
    /// - Parameter issuer: `Principal.issuer`, the name of its entry; `local` for this gateway.
    @discardableResult
    package func revoke(issuer: String, issuedBefore instant: Int64, until: Int64) -> Bool {
        change { RevocationList.merge(Cutoff(issuedAt: instant, until: until), into: &$0.issuers[issuer]) }
    }

    /// Whether this principal's token is revoked. A token without an issue date falls under every cut-off. A password
    /// falls under none, because it is checked at every use.
    package func isRevoked(_ principal: Principal) -> Bool {
        guard !isEmpty, principal.method.isSigned else { return false }
        return isRevoked(
            tokenID: principal.tokenID, family: principal.family, subject: principal.subject,
            backendID: principal.backendID, issuer: principal.issuer, issuedAt: principal.issuedAt,
            origins: principal.origins, session: principal.session)
    }

    /// Whether a token with these claims is revoked. A token without an issue date falls under every cut-off.
    ///
    /// - Parameters:
    ///   - origins: the tokens it was exchanged for; revoking one of these revokes it too. They share its subject and
    ///     issuer and were valid at its issue, so a later cut-off applies to both alike.
    ///   - session: the session it was issued in; ending the session revokes the token (OMS-17).
    package func isRevoked(
        tokenID: String?, subject: String, backendID: String?, issuer: String? = nil, issuedAt: Int64?,
        origins: [TokenOrigin] = [], session: String? = nil
    ) -> Bool {
        guard !isEmpty else { return false }
        return isRevoked(
            tokenID: tokenID, family: tokenID.flatMap(TokenFamily.id), subject: subject, backendID: backendID,
            issuer: issuer, issuedAt: issuedAt, origins: origins, session: session)
    }

    private func isRevoked(
        tokenID: String?, family: String?, subject: String, backendID: String?, issuer: String?, issuedAt: Int64?,
        origins: [TokenOrigin], session: String?
    ) -> Bool {
        let issuedAt = issuedAt ?? .min
        return entries.withLock { entries in
            if let session, entries.tokens[session] != nil { return true }
            if let cutoff = entries.subjects[subject], issuedAt <= cutoff.issuedAt { return true }
            if let issuer, let cutoff = entries.issuers[issuer], issuedAt <= cutoff.issuedAt { return true }
            return entries.hold(tokenID, of: family, backendID, issuedAt)
                || origins.contains { entries.hold($0.tokenID, of: $0.family, $0.backendID, issuedAt) }
        }
    }

    /// Removes entries whose tokens have expired.
    package func prune(now: Int64) {
        entries.withLock { entries in
            // In place: a copy of a long list would keep requests waiting.
            for (id, token) in entries.tokens.filter({ $0.value.until <= now }) {
                if token.round != entries.round { entries.unconfirmed -= 1 }
                entries.tokens[id] = nil
            }
            entries.subjects = entries.subjects.filter { $0.value.until > now }
            entries.clients = entries.clients.filter { $0.value.until > now }
            entries.issuers = entries.issuers.filter { $0.value.until > now }
            occupied.store(entries.count > 0, ordering: .releasing)
        }
    }

    /// Known entries, such as those that return from the store, do not invalidate caches.
    private func change(_ body: (inout Entries) -> Bool) -> Bool {
        let isNew = entries.withLock { entries in
            guard body(&entries) else { return false }
            occupied.store(true, ordering: .releasing)
            return true
        }
        if isNew { word.add(2, ordering: .acquiringAndReleasing) }
        return isNew
    }

    // MARK: Comparison

    /// Begins a comparison with the list of a store. What is revoked from now on is confirmed: it comes from the store
    /// or is on its way to it.
    package func beginComparison() {
        entries.withLock { entries in
            entries.round += 1
            entries.unconfirmed = entries.tokens.count
        }
    }

    /// The tokens that nothing has confirmed since the comparison began.
    package var unconfirmed: [(id: String, until: Int64)] {
        entries.withLock { entries in
            guard entries.unconfirmed > 0 else { return [] }
            return entries.tokens.filter { $0.value.round != entries.round }.map { ($0.key, $0.value.until) }
        }
    }

    /// Whether the comparison has confirmed a token, or it is no longer listed.
    package func isConfirmed(tokenID: String) -> Bool {
        entries.withLock { entries in entries.tokens[tokenID].map { $0.round == entries.round } ?? true }
    }

    /// Whether the merge adds or extends a revocation.
    private static func merge(_ cutoff: Cutoff, into existing: inout Cutoff?) -> Bool {
        let merged = Cutoff(
            issuedAt: max(cutoff.issuedAt, existing?.issuedAt ?? cutoff.issuedAt),
            until: max(cutoff.until, existing?.until ?? cutoff.until))
        defer { existing = merged }
        return merged != existing
    }
}
