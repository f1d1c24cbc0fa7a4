/// The tables of an in-process store, on which `perform` works. The owner serialises operations and rolls back failed
/// ones.
protocol TokenTable: AnyObject {
    /// - Parameter key: with a single digest.
    func record(_ key: TokenKey) throws(StoreFailure) -> TokenRecord?
    func record(inSlot slot: String) throws(StoreFailure) -> TokenRecord?
    /// Newest first; nil matches all.
    func records(application: String?, subject: String?, limit: Int) throws(StoreFailure) -> [TokenRecord]
    /// Some of all records from a place; the next place is empty at the end.
    func survey(from place: String, limit: Int) throws(StoreFailure) -> (records: [TokenRecord], next: String)
    /// - Precondition: no other record has its id, slot, token id or digests, which are single ones.
    func insert(_ record: TokenRecord) throws(StoreFailure)
    func remove(_ record: TokenRecord) throws(StoreFailure)
    /// Returns whether the record exists.
    func touch(_ use: TokenUse) throws(StoreFailure) -> Bool

    /// Appends to the deny list and returns the sequence number.
    func append(_ entry: DenyEntry) throws(StoreFailure) -> Int64
    func changes(after sequence: Int64, limit: Int) throws(StoreFailure) -> [DenyChange]
    /// The highest sequence number ever assigned.
    func latestSequence() throws(StoreFailure) -> Int64

    func usedRefresh(_ digest: [UInt8]) throws(StoreFailure) -> UsedRefresh?
    func remember(_ used: UsedRefresh, digest: [UInt8]) throws(StoreFailure)

    /// Until when a single-use key is taken; nil if free.
    func singleUse(_ key: String) throws(StoreFailure) -> Int64?
    func remember(singleUse key: String, until: Int64) throws(StoreFailure)

    /// Removes entries that expired at or before `now`, up to the limit of each kind. Returns the number of records,
    /// and the largest number of any kind.
    func clean(limit: Int, now: Int64) throws(StoreFailure) -> (records: Int, most: Int)
}

/// A rotated refresh token, whose reuse would indicate theft.
struct UsedRefresh: Equatable {
    var family: String
    var application: String
    /// When it would have expired.
    var until: Int64
    /// Digest of the refresh token that replaced it.
    var successor: [UInt8]
    /// End of the grace period in seconds since 1970, in which it may be reused because the answer may have been lost.
    var graceUntil: Int64
}

extension TokenRecord {
    /// Seconds since 1970 when both tokens have expired.
    var endsAt: Int64 { refreshDigest == nil ? accessExpiresAt : max(accessExpiresAt, refreshExpiresAt) }
}
