import Bytes
import Identity
import Testing

@testable import Policy

@Suite("The cache of verified tokens")
struct VerifiedTokenCacheTests {
    private let revocations = RevocationList()

    private func principal(_ subject: String, tokenID: String = "1", issuedAt: Int64 = 10) -> Principal {
        Principal(
            kind: .user, method: .bearer, subject: subject, issuer: "own", backendID: nil, roles: RoleSet(),
            catalogue: RoleCatalogue([]), level: 1, issuedAt: issuedAt, tokenID: tokenID)
    }

    private func insert(_ cache: VerifiedTokenCache, _ token: String, _ principal: Principal, expiresAt: Int64 = 100) {
        let bytes = Array(token.utf8)
        cache.insert(
            bytes, principal, expiresAt: expiresAt, revocationGeneration: revocations.generation)
    }

    private func find(_ cache: VerifiedTokenCache, _ token: String, now: Int64 = 50) -> Principal? {
        let bytes = Array(token.utf8)
        return cache.principal(
            for: bytes.span, now: now, revocations: revocations, generation: revocations.generation)
    }

    @Test func findsWhatWasPutIn() {
        let cache = VerifiedTokenCache(capacity: 4)
        let joe = principal("joe")
        insert(cache, "a", joe)
        #expect(find(cache, "a") === joe)
        #expect(find(cache, "b") == nil)
        #expect(find(cache, "aa") == nil)
        #expect(find(cache, "") == nil)
        #expect((cache.hits, cache.misses, cache.evictions, cache.count) == (1, 3, 0, 1))
    }

    @Test("an entry dies when its token expires")
    func expiry() {
        let cache = VerifiedTokenCache(capacity: 4)
        insert(cache, "a", principal("joe"), expiresAt: 100)
        #expect(find(cache, "a", now: 99) != nil)
        #expect(find(cache, "a", now: 100) == nil)
        #expect(cache.count == 0)
    }

    @Test("it never holds more than its capacity, and what was used stays longest")
    func bounded() {
        let cache = VerifiedTokenCache(capacity: 3)
        for name in ["a", "b", "c"] { insert(cache, name, principal(name)) }
        #expect(find(cache, "a") != nil)
        insert(cache, "d", principal("d"))
        #expect(cache.count == 3)
        #expect(cache.evictions == 1)
        #expect(find(cache, "a") != nil)
        #expect(find(cache, "b") == nil)
        #expect(find(cache, "d") != nil)
    }

    @Test("a long token is verified each time: the cache is bounded by count")
    func longTokens() {
        let cache = VerifiedTokenCache(capacity: 4)
        for (length, isKept) in [(16_384, true), (16_385, false), (65_536, false)] {
            let token = String(repeating: "a", count: length)
            insert(cache, token, principal("joe"))
            #expect((find(cache, token) != nil) == isKept, "\(length)")
        }
        #expect((cache.count, cache.evictions) == (1, 0))
    }

    @Test("a new generation trusts nothing that an earlier one verified")
    func generations() {
        let cache = VerifiedTokenCache(capacity: 4)
        cache.adopt(generation: 1)
        insert(cache, "a", principal("joe"))
        cache.adopt(generation: 1)
        #expect(find(cache, "a") != nil)
        cache.adopt(generation: 2)
        #expect(find(cache, "a") == nil)
    }

    @Test("revocation reaches tokens that are in the cache (CACHE-07)")
    func revocation() {
        let cache = VerifiedTokenCache(capacity: 4)
        insert(cache, "a", principal("joe", tokenID: "t1"))
        insert(cache, "b", principal("joe", tokenID: "t2", issuedAt: 30))
        insert(cache, "c", principal("ann", tokenID: "t3"))
        revocations.revoke(tokenID: "t1", until: 100)
        #expect(find(cache, "a") == nil)
        #expect(find(cache, "b") != nil)
        revocations.revoke(subject: "joe", issuedBefore: 40, until: 100)
        #expect(find(cache, "b") == nil)
        #expect(find(cache, "c") != nil)
        #expect(cache.count == 1)
    }

    @Test("entries can be removed by subject and by token")
    func removal() {
        let cache = VerifiedTokenCache(capacity: 8)
        insert(cache, "a", principal("joe", tokenID: "t1"))
        insert(cache, "b", principal("joe", tokenID: "t2"))
        insert(cache, "c", principal("ann", tokenID: "t3"))
        insert(cache, "d", principal("ann", tokenID: "t4"))
        cache.remove(subject: "joe")
        cache.remove(tokenID: "t3")
        #expect(["a", "b", "c", "d"].map { find(cache, $0) != nil } == [false, false, false, true])
        cache.clear()
        #expect(cache.count == 0)
        #expect(find(cache, "d") == nil)
    }

    @Test("it answers as a dictionary would, for any entries")
    func likeADictionary() {
        var random = SeededRandom(seed: 7)
        let cache = VerifiedTokenCache(capacity: 64)
        var model: [String: Principal] = [:]
        for step in 0..<20_000 {
            let token = "token-\(Int.random(in: 0..<200, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                cache.remove(subject: token)
                model[token] = nil
            case 1 where step % 50 == 0:
                cache.clear()
                model = [:]
            default:
                if let found = find(cache, token) {
                    #expect(found === model[token])
                } else {
                    let fresh = principal(token)
                    insert(cache, token, fresh)
                    model[token] = fresh
                }
            }
            #expect(cache.count <= 64)
        }
        #expect(cache.hits > 1_000)
        #expect(cache.evictions > 1_000)
    }
}
