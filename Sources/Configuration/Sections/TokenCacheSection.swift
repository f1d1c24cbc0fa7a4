import Declaration

/// The cache of verified client tokens, one per worker.
package struct TokenCacheSection: Sendable {
    package var maximumEntries: Int

    static func read(_ object: inout ObjectReader) -> TokenCacheSection {
        TokenCacheSection(
            maximumEntries: object.value(
                "maxEntries", .integer(1...10_000_000, "a number of entries").atStart(), default: 16_384,
                "Maximum number of tokens that each worker keeps."))
    }
}

/// The cache of tokens issued for upstreams (CACHE-05, CACHE-06).
package struct IssuedTokenCacheSection: Sendable {
    package var maximumEntries: Int
    /// How long before its expiry a token is no longer used.
    package var skew: Duration
    /// Whether tokens survive a restart, encrypted in the store (CACHE-10).
    package var persists: Bool

    static func read(_ object: inout ObjectReader) -> IssuedTokenCacheSection {
        IssuedTokenCacheSection(
            maximumEntries: object.value(
                "maxEntries", .integer(1...10_000_000, "a number of entries").atStart(), default: 100_000,
                """
                Maximum number of tokens of the process. Each worker keeps up to 4096 of them at hand in addition, but no more than \
                this number (or 4).
                """),
            skew: object.value(
                "skew", .duration.atStart(), default: .seconds(30),
                "How long before its expiry a token is no longer used."),
            persists: object.value(
                "persist", .flag.atStart(), default: false,
                """
                Whether these tokens are kept in the store, sealed under its key, so that a gateway makes no new calls for \
                them after a restart. Tokens of callers with entries in the deny list are fetched again. Without effect \
                with the store `memory`.
                """))
    }
}
