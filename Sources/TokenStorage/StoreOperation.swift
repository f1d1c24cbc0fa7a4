/// An operation of a token store. Each is atomic with respect to other threads and processes that share the store.
///
/// Every removal of a record with a valid access token, by rotation, replacement or revocation, appends
/// `DenyEntry.token(tokenID, subject: subject, until: accessExpiresAt)` in the same step.
package enum StoreOperation: Sendable {
    /// If a record with a valid access token holds this record's slot: `.record` of that one. Otherwise this record
    /// takes the slot, the earlier record is removed with its refresh token, and the answer is `.record` of this one
    /// (AOM-06). `.conflict` as with `.replace`. Without a slot the same as `.insert`.
    case claim(TokenRecord)
    /// Takes its slot and its id from any holder: `.record` of this one. `.conflict` if another record has the same
    /// access digest or token id and its access token is valid (AOM-18), or has the same refresh digest; a record whose
    /// access token has expired is replaced.
    case replace(TokenRecord)
    /// Like `.replace`, for records without a slot.
    case insert(TokenRecord)
    /// `.record`, or `.record(nil)` if there is none. Includes expired records: the caller checks the dates.
    case find(TokenKey)
    /// Replaces the record with this refresh digest by the proposed one, which must have the same id and slot:
    /// `.rotated` of the old one. Used after `.find(.refresh)`, on which the proposal is based.
    ///
    /// `.record(nil)` if no record has the digest, or the record is expired, belongs to another application, or has
    /// another id or slot than the proposed one. Of two rotations with one digest only one succeeds (AOM-13).
    ///
    /// With reuse detection the digest is kept until its token would have expired. A later rotation with it by the same
    /// application removes the family and answers `.reused` (RFC 9700 section 4.14.2). Within the grace period after
    /// its use, while its successor is still the family's record, it changes nothing and answers `.record` of the
    /// successor, because the first answer may have been lost, or be on its way.
    case rotate(refresh: [UInt8], application: String, proposed: TokenRecord, reuse: ReuseRule)
    /// `.record` of the successor of a used refresh token within its grace period, as a rotation with the same digest
    /// answers. Otherwise `.record(nil)`.
    case successor(of: [UInt8])
    /// `.removed` with the removed records.
    case revoke(TokenSelector)
    /// `.denied` with the sequence number of the entry.
    case deny(DenyEntry)
    /// `.changes`: deny entries after that sequence number that are still stored, in order, up to the limit.
    case changes(after: Int64, limit: Int)
    /// `.fresh(true)` for a new key, or one whose `until` has passed; otherwise `.fresh(false)`. For single-use values
    /// such as the `jti` of an assertion.
    case remember(key: String, until: Int64)
    /// Updates the time of last use of records, and the end of their access tokens, where it is later: `.touched` with the
    /// number of existing records. Does not create records (OMS-09).
    case touch([TokenUse])
    /// Removes records whose tokens have both expired, and expired digests, single-use keys and deny entries, up to the
    /// limit of each: `.cleaned` with the number of records (AOM-23). Repeat until it reports completion.
    case clean(limit: Int)
    /// `.records`, newest first, including expired ones; nil matches all.
    case list(application: String?, subject: String?, limit: Int)
    /// `.surveyed`: some of all records, in an order of the store's own, from the place of an earlier answer. Records that
    /// do not change meanwhile come at least once.
    /// - Parameter place: empty for the beginning.
    /// - Parameter limit: about how many.
    case survey(place: String, limit: Int)
    /// Exchanges the id, the digests and the sealed data of a record if they are still those of the first one: `.touched`
    /// with 1, otherwise with 0. All else of the record stays as it is, and nothing is denied.
    case rekey(from: TokenRecord, to: TokenRecord)

    /// Whether the operation only reads.
    package var isRead: Bool {
        switch self {
        case .find, .successor, .changes, .list, .survey: true
        case .claim, .replace, .insert, .rotate, .revoke, .deny, .remember, .touch, .clean, .rekey: false
        }
    }
}

/// Last use of a record.
package struct TokenUse: Sendable, Equatable {
    /// `TokenRecord.id`.
    package var id: String
    /// Seconds since 1970.
    package var usedAt: Int64
    /// Seconds since 1970 until when the access token shall live at least; 0 leaves its end.
    package var accessUntil: Int64

    package init(id: String, usedAt: Int64, accessUntil: Int64 = 0) {
        self.id = id
        self.usedAt = usedAt
        self.accessUntil = accessUntil
    }
}

/// Handling of reused refresh tokens.
package enum ReuseRule: Sendable, Equatable {
    /// Reuse is not detected.
    case ignored
    /// Reuse removes the family.
    /// - Parameter graceSeconds: time after its first use in which the latest used token may be reused.
    case detected(graceSeconds: Int64 = 0)
}

/// Result of an operation.
package enum StoreAnswer: Sendable, Equatable {
    case record(TokenRecord?)
    case conflict
    /// The replaced record.
    case rotated(TokenRecord)
    /// A refresh token was reused; its family is revoked.
    case reused(family: String)
    case removed([TokenRecord])
    case denied(sequence: Int64)
    /// - Parameter latest: the highest sequence number ever assigned, 0 before the first. With fewer entries than the
    ///   limit, everything up to it was returned. If it is below the requested one, the store was emptied.
    case changes([DenyChange], latest: Int64)
    case fresh(Bool)
    case touched(Int)
    /// - Parameter isDone: whether fewer than the limit of each kind were removed.
    case cleaned(Int, isDone: Bool = true)
    case records([TokenRecord])
    /// - Parameter next: the place to continue at; empty at the end.
    case surveyed([TokenRecord], next: String)
}
