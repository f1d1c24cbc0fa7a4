import Synchronization

/// Tokens that are refused though their signature and dates are good. Kept in memory, shared by all workers; whoever
/// follows a store of several processes says when the list may lack what the others have revoked.
package final class RevocationList: Sendable {
    /// What one atomic load tells.
    package struct Reading: Sendable, Equatable {
        fileprivate let word: UInt64

        /// Changes with every revocation, so that caches of verified tokens can notice one.
        package var generation: UInt64 { word >> 1 }

        /// Whether bearer tokens are to be refused for now, since nobody knows which are revoked.
        package var isBlind: Bool { word & 1 == 1 }
    }

    /// What a whole group of tokens is refused by: issued at or before an instant, remembered until another.
    private struct Cutoff: Equatable {
        var issuedAt: Int64
        var until: Int64
    }

    private struct Entries {
        var tokens: [String: Int64] = [:]
        var subjects: [String: Cutoff] = [:]
        var backends: [String: Cutoff] = [:]
        var issuers: [String: Cutoff] = [:]

        var count: Int { tokens.count + subjects.count + backends.count + issuers.count }

        /// Whether a token is named, or falls under the cut-off of its backend.
        func hold(_ tokenID: String?, _ backendID: String?, _ issuedAt: Int64) -> Bool {
            if let tokenID, tokens[tokenID] != nil { return true }
            guard let backendID, let cutoff = backends[backendID] else { return false }
            return issuedAt <= cutoff.issuedAt
        }
    }

    private let entries = Mutex(Entries())
    private let occupied = Atomic<Bool>(false)
    /// The generation, and in the lowest bit whether the list is blind.
    private let word = Atomic<UInt64>(0)

    package init() {}

    /// Whether nothing is revoked: one atomic load, for the hot path to ask first.
    package var isEmpty: Bool { !occupied.load(ordering: .acquiring) }

    /// The state of the list in one atomic load, for the hot path.
    package var reading: Reading { Reading(word: word.load(ordering: .acquiring)) }

    /// Changes with every revocation.
    package var generation: UInt64 { reading.generation }

    /// Says whether bearer tokens are refused for now. The generation stays, and with it what caches know.
    package func setBlind(_ isBlind: Bool) {
        if isBlind {
            word.bitwiseOr(1, ordering: .acquiringAndReleasing)
        } else {
            word.bitwiseAnd(~1, ordering: .acquiringAndReleasing)
        }
    }

    /// How many entries are remembered.
    package var count: Int { entries.withLock { $0.count } }

    /// One thing that is refused.
    package struct Refused: Sendable, Equatable {
        package enum Kind: Sendable { case token, subject, backend, issuer }

        package var kind: Kind
        /// A token's `jti`, a subject, the id of a backend, the name of an issuer's entry.
        package var name: String
        /// Tokens issued at this second since 1970 or before; 0 for one token, where it means nothing.
        package var issuedBefore: Int64
        /// When the entry can go, in seconds since 1970.
        package var until: Int64
    }

    /// All that is refused, in no order.
    package var contents: [Refused] {
        func all(_ cutoffs: [String: Cutoff], _ kind: Refused.Kind) -> [Refused] {
            cutoffs.map { Refused(kind: kind, name: $0.key, issuedBefore: $0.value.issuedAt, until: $0.value.until) }
        }
        return entries.withLock { entries in
            entries.tokens.map { Refused(kind: .token, name: $0.key, issuedBefore: 0, until: $0.value) }
                + all(entries.subjects, .subject) + all(entries.backends, .backend) + all(entries.issuers, .issuer)
        }
    }

    /// Revokes one token by its `jti`.
    /// - Parameter until: seconds since 1970 when the token ends by itself and the entry can go.
    package func revoke(tokenID: String, until: Int64) {
        change { entries in
            if let known = entries.tokens[tokenID], known >= until { return false }
            entries.tokens[tokenID] = until
            return true
        }
    }

    /// Revokes all tokens of a subject that were issued at this second or before. A token of the same second that was
    /// issued after the revocation is refused too: better one login too many than a token too many.
    /// - Parameter until: when the longest-lived of them ends.
    package func revoke(subject: String, issuedBefore instant: Int64, until: Int64) {
        change { RevocationList.merge(Cutoff(issuedAt: instant, until: until), into: &$0.subjects[subject]) }
    }

    /// Revokes all tokens of a backend that were issued at this second or before (MBE-06).
    package func revoke(backendID: String, issuedBefore instant: Int64, until: Int64) {
        change { RevocationList.merge(Cutoff(issuedAt: instant, until: until), into: &$0.backends[backendID]) }
    }

    /// Revokes all tokens that an issuer has issued at this second or before.
    /// - Parameter issuer: `Principal.issuer`, the name of its entry; `local` for this gateway.
    package func revoke(issuer: String, issuedBefore instant: Int64, until: Int64) {
        change { RevocationList.merge(Cutoff(issuedAt: instant, until: until), into: &$0.issuers[issuer]) }
    }

    /// Whether this principal's token is revoked. A token without an issue date falls under every cut-off; a password
    /// is checked anew each time and falls under none.
    package func isRevoked(_ principal: Principal) -> Bool {
        guard !isEmpty, principal.method == .bearer || principal.method == .cookie else { return false }
        return isRevoked(
            tokenID: principal.tokenID, subject: principal.subject, backendID: principal.backendID,
            issuer: principal.issuer, issuedAt: principal.issuedAt, origins: principal.origins,
            session: principal.session)
    }

    /// Whether a token with these claims is revoked. A token without an issue date falls under every cut-off.
    ///
    /// - Parameters:
    ///   - origins: what it was exchanged for. Whatever revokes one of these revokes it too. They have its subject and
    ///     issuer, and were good when it was issued: of a cut-off behind their time of issue it falls on the same side.
    ///   - session: what it was obtained in. Whoever ends that ends the token too (OMS-17).
    package func isRevoked(
        tokenID: String?, subject: String, backendID: String?, issuer: String? = nil, issuedAt: Int64?,
        origins: [TokenOrigin] = [], session: String? = nil
    ) -> Bool {
        guard !isEmpty else { return false }
        let issuedAt = issuedAt ?? .min
        return entries.withLock { entries in
            if let session, entries.tokens[session] != nil { return true }
            if let cutoff = entries.subjects[subject], issuedAt <= cutoff.issuedAt { return true }
            if let issuer, let cutoff = entries.issuers[issuer], issuedAt <= cutoff.issuedAt { return true }
            return entries.hold(tokenID, backendID, issuedAt)
                || origins.contains { entries.hold($0.tokenID, $0.backendID, issuedAt) }
        }
    }

    /// Forgets entries whose tokens have ended by themselves.
    package func prune(now: Int64) {
        entries.withLock { entries in
            entries.tokens = entries.tokens.filter { $0.value > now }
            entries.subjects = entries.subjects.filter { $0.value.until > now }
            entries.backends = entries.backends.filter { $0.value.until > now }
            entries.issuers = entries.issuers.filter { $0.value.until > now }
            occupied.store(entries.count > 0, ordering: .releasing)
        }
    }

    /// What is known already, as an entry that comes back from the store is, disturbs no cache.
    private func change(_ body: (inout Entries) -> Bool) {
        let isNew = entries.withLock { entries in
            guard body(&entries) else { return false }
            occupied.store(true, ordering: .releasing)
            return true
        }
        if isNew { word.add(2, ordering: .acquiringAndReleasing) }
    }

    /// Answers whether anything is refused for longer, or anything more.
    private static func merge(_ cutoff: Cutoff, into existing: inout Cutoff?) -> Bool {
        let merged = Cutoff(
            issuedAt: max(cutoff.issuedAt, existing?.issuedAt ?? cutoff.issuedAt),
            until: max(cutoff.until, existing?.until ?? cutoff.until))
        defer { existing = merged }
        return merged != existing
    }
}
