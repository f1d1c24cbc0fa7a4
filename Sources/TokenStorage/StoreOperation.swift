/// What a token store is asked to do. Each operation is atomic, toward other threads and toward other processes that
/// share the store.
///
/// Every removal of a record whose access token still lives, be it by rotation, replacement or revocation, appends
/// `DenyEntry.token(tokenID, subject: subject, until: accessExpiresAt)` in the same step.
package enum StoreOperation: Sendable {
    /// If a record with a living access token holds the slot of this one: `.record` of that. Otherwise this one takes
    /// the slot, the earlier record is gone with its refresh token, and the answer is `.record` of this one (AOM-06).
    /// `.conflict` as with `.replace`. Without a slot the same as `.insert`.
    case claim(TokenRecord)
    /// This one takes its slot and its id, whoever holds them: `.record` of this one. `.conflict` where any other record
    /// has the same access digest or token id and its access token lives (AOM-18), or has the same refresh digest; one
    /// whose access token has ended gives way.
    case replace(TokenRecord)
    /// The same as `.replace`, for records that need no slot.
    case insert(TokenRecord)
    /// `.record`, or `.record(nil)` for none. Answers expired records too: the caller looks at the dates.
    case find(TokenKey)
    /// The record with this refresh digest gives way to the proposed one, whose id and slot are to be the same:
    /// `.rotated` of the old one. Used with `.find(.refresh)`, which tells what to propose.
    ///
    /// `.record(nil)` where no record has the digest, or it is expired, or of another application, or has another id or
    /// slot than the proposed one. Of two rotations with one digest one finds nothing (AOM-13).
    ///
    /// Where reuse is detected the digest is remembered until its token would have expired; a rotation with such a
    /// digest, by the same application, removes the family and answers `.reused` (RFC 9700 section 4.14.2). But within
    /// the grace of its first use, while what was given for it is the family's record, it is a rotation of that one: the
    /// answer may have been lost. The grace counts from the first use, and what was given in vain has none.
    case rotate(refresh: [UInt8], application: String, proposed: TokenRecord, reuse: ReuseRule)
    /// `.record` of what was given for a refresh token that was used, within its grace: what a rotation with the same
    /// digest would replace. Else `.record(nil)`.
    case successor(of: [UInt8])
    /// `.removed` with what is gone.
    case revoke(TokenSelector)
    /// `.denied` with the place of the entry.
    case deny(DenyEntry)
    /// `.changes`: what was denied behind that place and has not been cleaned away, in order, up to the limit.
    case changes(after: Int64, limit: Int)
    /// `.fresh(true)` the first time that a key is seen, and again once `until` has passed; else `.fresh(false)`. For
    /// what may be used once only, such as the `jti` of an assertion.
    case remember(key: String, until: Int64)
    /// Notes when records were used, where that was later than what is noted: `.touched` with how many are there. What is
    /// not there stays so (OMS-09).
    case touch([TokenUse])
    /// Drops records whose tokens are both expired, used digests, single-use keys and deny entries that are of no use
    /// any more, up to the limit of each: `.cleaned` with the number of records (AOM-23). Ask again until it is done.
    case clean(limit: Int)
    /// `.records`, newest first, expired ones too; nil stands for all.
    case list(application: String?, subject: String?, limit: Int)

    /// Whether the operation leaves the store as it was.
    package var isRead: Bool {
        switch self {
        case .find, .successor, .changes, .list: true
        case .claim, .replace, .insert, .rotate, .revoke, .deny, .remember, .touch, .clean: false
        }
    }
}

/// When a record was used last.
package struct TokenUse: Sendable, Equatable {
    /// `TokenRecord.id`.
    package var id: String
    /// Seconds since 1970.
    package var usedAt: Int64

    package init(id: String, usedAt: Int64) {
        self.id = id
        self.usedAt = usedAt
    }
}

/// What a store makes of refresh tokens that come again.
package enum ReuseRule: Sendable, Equatable {
    /// It forgets them.
    case ignored
    /// It ends their family.
    /// - Parameter graceSeconds: after its first use, in which the one that was used last may come again.
    case detected(graceSeconds: Int64 = 0)
}

/// What became of an operation.
package enum StoreAnswer: Sendable, Equatable {
    case record(TokenRecord?)
    case conflict
    /// The record as it was before.
    case rotated(TokenRecord)
    /// A refresh token was used twice; its family is revoked.
    case reused(family: String)
    case removed([TokenRecord])
    case denied(sequence: Int64)
    /// - Parameter latest: the highest place that was ever given out, 0 before the first. Where fewer entries than the
    ///   limit come, everything up to it is known. Smaller than what was asked for: the store was emptied.
    case changes([DenyChange], latest: Int64)
    case fresh(Bool)
    case touched(Int)
    /// - Parameter isDone: of each kind there was less than the limit.
    case cleaned(Int, isDone: Bool = true)
    case records([TokenRecord])
}
