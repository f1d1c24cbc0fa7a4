/// The cache of verified client tokens, one per worker.
package struct TokenCacheSection: Sendable {
    package var maximumEntries = 16_384

    static func read(_ field: Field) -> TokenCacheSection? {
        var object = field.object("an object")
        let entries = object.value("maxEntries", default: TokenCacheSection().maximumEntries) {
            $0.integer(in: 1...10_000_000, "a number of entries")
        }
        object.finish()
        return TokenCacheSection(maximumEntries: entries)
    }
}

/// The cache of tokens issued for upstreams (CACHE-05, CACHE-06).
package struct IssuedTokenCacheSection: Sendable {
    package var maximumEntries = 100_000
    /// How long before its expiry a token is no longer used.
    package var skew = Duration.seconds(30)
    /// Whether tokens survive a restart, sealed in the store (CACHE-10).
    package var persists = false

    static func read(_ field: Field) -> IssuedTokenCacheSection? {
        let standard = IssuedTokenCacheSection()
        var object = field.object("an object")
        let section = IssuedTokenCacheSection(
            maximumEntries: object.value("maxEntries", default: standard.maximumEntries) {
                $0.integer(in: 1...10_000_000, "a number of entries")
            },
            skew: object.duration("skew", default: standard.skew),
            persists: object.flag("persist", default: standard.persists)
        )
        object.finish()
        return section
    }
}
