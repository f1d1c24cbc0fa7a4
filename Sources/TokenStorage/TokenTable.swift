/// The plain tables that a store of this process keeps, for `perform` to work on. Whoever owns one lets a single
/// operation at it at a time, and undoes what a failed one has done.
protocol TokenTable: AnyObject {
    func record(_ key: TokenKey) throws(StoreFailure) -> TokenRecord?
    func record(inSlot slot: String) throws(StoreFailure) -> TokenRecord?
    /// Newest first; nil stands for all.
    func records(application: String?, subject: String?, limit: Int) throws(StoreFailure) -> [TokenRecord]
    /// No other record has its id, slot, token id or digests.
    func insert(_ record: TokenRecord) throws(StoreFailure)
    func remove(_ record: TokenRecord) throws(StoreFailure)
    /// Answers whether there is such a record.
    func touch(_ use: TokenUse) throws(StoreFailure) -> Bool

    /// Appends to the deny list and answers the place.
    func append(_ entry: DenyEntry) throws(StoreFailure) -> Int64
    func changes(after sequence: Int64, limit: Int) throws(StoreFailure) -> [DenyChange]
    /// The highest place that was ever given out.
    func latestSequence() throws(StoreFailure) -> Int64

    func usedRefresh(_ digest: [UInt8]) throws(StoreFailure) -> UsedRefresh?
    func remember(_ used: UsedRefresh, digest: [UInt8]) throws(StoreFailure)

    /// Until when a single-use key is taken; nil where it is free.
    func singleUse(_ key: String) throws(StoreFailure) -> Int64?
    func remember(singleUse key: String, until: Int64) throws(StoreFailure)

    /// Drops what ended at `now` or before, up to the limit of each kind. Answers the number of records, and that of the
    /// kind of which it were most.
    func clean(limit: Int, now: Int64) throws(StoreFailure) -> (records: Int, most: Int)
}

/// A refresh token that was rotated away and would be a sign of theft if it came again.
struct UsedRefresh: Equatable {
    var family: String
    var application: String
    /// When it would have expired.
    var until: Int64
    /// Digest of the refresh token that was given for it.
    var successor: [UInt8]
    /// Seconds since 1970 until which its holder may come again, because the answer may have been lost.
    var graceUntil: Int64
}

extension TokenRecord {
    /// Seconds since 1970 from which neither token is good.
    var endsAt: Int64 { refreshDigest == nil ? accessExpiresAt : max(accessExpiresAt, refreshExpiresAt) }
}
