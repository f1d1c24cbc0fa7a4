import Bytes
import Crypto
import JOSE
import Model
import Outbound
import Testing

@testable import Identity

/// When keys are fetched and what is answered in between, second by second.
@Suite struct KeyCacheTests {
    private let start: Int64 = 1_800_000_000

    private func cache(
        minimum: Int64 = 60, maximum: Int64 = 28_800, stale: Int64 = 86_400
    ) throws -> KeyCache {
        var settings = try KeyFixture.settings()
        settings.minimumReloadSeconds = minimum
        settings.maximumReloadSeconds = maximum
        settings.staleSeconds = stale
        return KeyCache(settings)
    }

    /// A cache that has fetched key `a` at `start`.
    private func filled(
        minimum: Int64 = 60, maximum: Int64 = 28_800, stale: Int64 = 86_400, lifetime: Int64? = nil
    ) throws -> KeyCache {
        var cache = try cache(minimum: minimum, maximum: maximum, stale: stale)
        cache.began()
        _ = cache.succeeded(KeyFixture.set("a"), lifetime: lifetime, now: start, spread: 0)
        return cache
    }

    private func fails(_ cache: inout KeyCache, at time: Int64) {
        cache.began()
        cache.failed(.call(.connect, .keys), now: time)
    }

    // MARK: Vectors

    private static let vectors = Vector.all("reload.json").filter { $0.node["cache"]?.string == "jwks" }

    @Test("JWT-33, JWT-34: L13 to L19: keys are reloaded as specified", arguments: vectors)
    func reloads(_ vector: Vector) throws {
        #expect(Self.vectors.count == 7)
        let minimum = vector.node["config"]?["minReloadInterval"]?.integer ?? 60
        let maximum = vector.node["config"]?["maxReloadInterval"]?.integer ?? 28_800
        var cache = try cache(minimum: minimum, maximum: maximum)
        var now = start
        if let age = vector.node["age"]?.integer {
            cache = try filled(minimum: minimum, maximum: maximum)
            now += age
        }
        let isHit = vector.node["hit"]?.bool == true
        let answer = cache.answer(KeyFixture.need(isHit ? "a" : "z"), now: now)
        #expect(answer.isFetch == vector.node["reload"]?.bool)
        if !answer.isFetch { #expect(answer.names == ["a"]) }
    }

    // MARK: Refresh

    @Test(
        "keys are fetched before they expire, within the configured bounds",
        arguments: [
            (nil, 28_800), (3600, 3600), (5, 60), (0, 60), (100_000_000, 28_800),
        ] as [(Int64?, Int64)])
    func refreshesAhead(lifetime: Int64?, used: Int64) throws {
        for spread in [Int64(0), 50, 99] {
            var cache = try cache()
            #expect(cache.isRefreshDue(now: start))
            cache.began()
            #expect(!cache.isRefreshDue(now: start))
            _ = cache.succeeded(KeyFixture.set("a"), lifetime: lifetime, now: start, spread: spread)
            #expect(cache.refreshAt >= start + max(60, used * 85 / 100) && cache.refreshAt <= start + used)
            #expect(!cache.isRefreshDue(now: cache.refreshAt - 1))
            #expect(cache.isRefreshDue(now: cache.refreshAt))
        }
    }

    @Test("old keys stay usable during a fetch")
    func oldKeysServeWhileFreshOnesAreFetched() throws {
        var cache = try filled(lifetime: 600)
        cache.began()
        #expect(cache.answer(KeyFixture.need("a"), now: start + 599).names == ["a"])
        #expect(cache.answer(KeyFixture.need("b"), now: start + 599).isFetch)
    }

    @Test("a failed fetch keeps existing keys")
    func failuresKeepGoodKeys() throws {
        var cache = try filled(lifetime: 600)
        for attempt in 1...20 {
            let now = start + 540 + Int64(attempt) * 60
            #expect(cache.isRefreshDue(now: now))
            fails(&cache, at: now)
            #expect(cache.answer(KeyFixture.need("a"), now: now).names == ["a"])
            #expect(!cache.isRefreshDue(now: now + 59))
            // A key that we do not know may be there by now: not the token's fault.
            #expect(cache.answer(KeyFixture.need("z"), now: now + 1).isUnavailable)
        }
        #expect(cache.isStale(now: start + 1800))
        // JWT-34: the age counts from the attempt, and no request waits while attempts fail.
        #expect(cache.answer(KeyFixture.need("a"), now: start + 80_000).names == ["a"])
    }

    @Test("JWT-34: a maximum age below the minimum interval counts, and that interval after a failure")
    func shortMaximum() throws {
        var cache = try filled(minimum: 60, maximum: 5, lifetime: 3600)
        #expect(cache.answer(KeyFixture.need("a"), now: start + 5).names == ["a"])
        #expect(cache.isRefreshDue(now: start + 5))
        #expect(cache.answer(KeyFixture.need("a"), now: start + 6).isFetch)
        // A key that is absent still causes no fetch before the minimum interval has passed.
        #expect(cache.answer(KeyFixture.need("z"), now: start + 59).names == ["a"])
        #expect(cache.answer(KeyFixture.need("z"), now: start + 60).isFetch)
        fails(&cache, at: start + 6)
        #expect(cache.answer(KeyFixture.need("a"), now: start + 65).names == ["a"])
        #expect(!cache.isRefreshDue(now: start + 65) && cache.isRefreshDue(now: start + 66))
    }

    @Test("stale keys are dropped eventually")
    func staleKeysEndAtLast() throws {
        var cache = try filled(stale: 1000, lifetime: 600)
        fails(&cache, at: start + 1540)
        #expect(cache.answer(KeyFixture.need("a"), now: start + 1599).names == ["a"])
        #expect(cache.answer(KeyFixture.need("a"), now: start + 1600).isFetch)
        fails(&cache, at: start + 1600)
        #expect(cache.answer(KeyFixture.need("a"), now: start + 1600).isUnavailable)
        cache.began()
        _ = cache.succeeded(KeyFixture.set("a"), lifetime: nil, now: start + 1700, spread: 0)
        #expect(cache.answer(KeyFixture.need("a"), now: start + 1700).names == ["a"])
        #expect(!cache.isStale(now: start + 1700))
    }

    @Test("without keys the pause between attempts starts short and doubles")
    func attemptsWithoutKeysDoubleTheirPause() throws {
        var cache = try cache()
        var now = start
        for pause in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Int64] {
            #expect(cache.answer(KeyFixture.need("a"), now: now).isFetch)
            fails(&cache, at: now)
            #expect(cache.answer(KeyFixture.need("a"), now: now + pause - 1).isUnavailable)
            #expect(!cache.isRefreshDue(now: now + pause - 1))
            now += pause
            #expect(cache.isRefreshDue(now: now))
        }
    }

    // MARK: Keys that are not there

    @Test("the pause for absent key ids doubles")
    func absentNamesAreAskedForLessAndLess() throws {
        var cache = try filled()
        var now = start
        for pause in [60, 60, 120, 240, 480, 480] as [Int64] {
            #expect(cache.answer(KeyFixture.need("z"), now: now + pause - 1).names == ["a"])
            now += pause
            #expect(cache.answer(KeyFixture.need("z"), now: now).isFetch)
            cache.began()
            _ = cache.succeeded(KeyFixture.set("a"), lifetime: nil, now: now, spread: 0)
            cache.missed(KeyFixture.need("z"), now: now)
        }
        // Another name has its turn, after any earlier ones.
        #expect(cache.answer(KeyFixture.need("b"), now: now + 60).isFetch)
        // And what was absent is there as soon as any fetch brings it.
        cache.began()
        _ = cache.succeeded(KeyFixture.set("a", "z", "b"), lifetime: nil, now: now + 60, spread: 0)
        #expect(cache.answer(KeyFixture.need("b"), now: now + 60).names?.contains("b") == true)
    }

    @Test("requests with a known absent key id do not wait for a fetch in progress")
    func absentNamesDoNotWait() throws {
        var cache = try filled()
        cache.missed(KeyFixture.need("z"), now: start + 50)
        cache.began()
        #expect(cache.answer(KeyFixture.need("z"), now: start + 61).names == ["a"])
        #expect(cache.answer(KeyFixture.need("y"), now: start + 61).isFetch)
    }

    @Test("the number of remembered absent key ids is limited")
    func manyAbsentNamesAreForgotten() throws {
        var cache = try filled()
        for i in 0..<1000 { cache.missed(KeyFixture.need("kid-\(i)"), now: start) }
        cache.missed(KeyFixture.need(String(repeating: "x", count: 100_000)), now: start)
        #expect(cache.answer(KeyFixture.need("kid-999"), now: start + 59).names == ["a"])
        #expect(cache.answer(KeyFixture.need("kid-0"), now: start + 60).isFetch)
    }

    @Test("a token without `kid` that no key verifies causes a fetch")
    func namelessKeysAreFetchedAgain() throws {
        let cache = try filled()
        #expect(cache.answer(KeyFixture.need(nil), now: start + 60).names == ["a"])
        #expect(cache.answer(KeyFixture.need(nil, inVain: true), now: start + 59).names == ["a"])
        #expect(cache.answer(KeyFixture.need(nil, inVain: true), now: start + 60).isFetch)
        // No key of the type that the token wants.
        #expect(cache.answer(KeyNeed(keyID: nil, algorithm: .rs256), now: start + 60).isFetch)
    }

    @Test("a token that the key of its name does not verify causes a fetch once per interval")
    func replacedKeysAreFetched() throws {
        var cache = try filled()
        let need = KeyFixture.need("a", inVain: true)
        for now in [start, start + 60, start + 120] {
            #expect(cache.answer(need, now: now + 59).names == ["a"])
            #expect(cache.answer(need, now: now + 60).isFetch)
            cache.began()
            _ = cache.succeeded(KeyFixture.set("a"), lifetime: nil, now: now + 60, spread: 0)
            cache.missed(need, now: now + 60)
        }
        // The name is known, so that the token is wrong as far as anyone can say.
        fails(&cache, at: start + 240)
        #expect(cache.answer(need, now: start + 241).names == ["a"])
        #expect(cache.answer(KeyFixture.need(nil, inVain: true), now: start + 241).isUnavailable)
        // A key of another type in the place of the known one.
        _ = cache.succeeded(KeyFixture.set("a"), lifetime: nil, now: start + 300, spread: 0)
        #expect(cache.answer(KeyNeed(keyID: "a", algorithm: .rs256), now: start + 360).isFetch)
    }

    // MARK: Changes

    @Test("only removed keys count as lost")
    func onlyRemovalsAreLosses() throws {
        var cache = try filled()
        func fetch(_ keys: KeySet, at time: Int64) -> KeyChange {
            cache.began()
            return cache.succeeded(keys, lifetime: nil, now: time, spread: 0)
        }
        #expect(fetch(KeyFixture.set("a"), at: start + 60) == KeyChange(losesKeys: false, isNews: false))
        #expect(fetch(KeyFixture.set("b", "a"), at: start + 120) == KeyChange(losesKeys: false, isNews: true))
        #expect(fetch(KeyFixture.set("b"), at: start + 180) == KeyChange(losesKeys: true, isNews: true))
        // The same name for another key is a removal.
        let other = KeySet(keys: [JSONWebKey(KeyFixture.signers["c"]!.key, kid: "b")])
        #expect(fetch(other, at: start + 240) == KeyChange(losesKeys: true, isNews: true))
        // JWT-34: a removed key is refused after the reload.
        #expect(cache.answer(KeyFixture.need("a"), now: start + 241).names == ["b"])
    }

    @Test("setting the clock back does not stop fetching")
    func aClockThatIsPutBackStopsNothing() throws {
        let cache = try filled()
        #expect(cache.answer(KeyFixture.need("z"), now: start - 30).names == ["a"])
        #expect(cache.isRefreshDue(now: start - 86_400))
        #expect(cache.answer(KeyFixture.need("z"), now: start - 86_400).isFetch)
    }
}
