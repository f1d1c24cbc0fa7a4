import Identity
import Issuers
import Model
import Testing

/// A lookup's answer in a form that can be compared.
enum Answer: Equatable {
    case hit(String)
    case refresh(String)
    case join
    case lead
    case failed(IssueFailure)

    init(_ lookup: IssuedTokenStore.Lookup) {
        self =
            switch lookup {
            case .hit(let token, nil): .hit(token.text)
            case .hit(let token, .some): .refresh(token.text)
            case .join: .join
            case .lead: .lead
            case .failed(let failure): .failed(failure)
            }
    }
}

extension IssuedTokenStore.Lookup {
    /// The call to make, as leader or for a refresh.
    var flight: IssuedTokenStore.Flight? {
        switch self {
        case .lead(let flight): flight
        case .hit(_, let flight): flight
        case .join, .failed: nil
        }
    }
}

extension IssuedTokenStore {
    func ask(_ key: InjectionKey, _ exchange: UInt64 = 0, at now: Int64) -> Lookup {
        lookup(key, waiter: Waiter(worker: 0, exchange: exchange), now: now)
    }

    func answer(_ key: InjectionKey, at now: Int64) -> Answer { Answer(ask(key, at: now)) }

    /// Looks up, and completes the call that this leads to.
    func fill(_ key: InjectionKey, _ text: String, at now: Int64, retained seconds: Int64 = 3600) throws {
        let flight = try #require(ask(key, at: now).flight)
        let token = IssuedToken(text, issuedAt: now, expiresAt: now + seconds)
        _ = complete(flight, .success(token), now: now)
    }
}

@Suite struct IssuedTokenStoreTests {
    let joe = Callers.key("joe")
    let ann = Callers.key("ann")
    let bob = Callers.key("bob")

    @Test("CACHE-01: one call serves a hundred requests")
    func oneCallServesHundredRequests() throws {
        let store = IssuedTokenStore()
        try store.fill(joe, "t", at: 0)
        for now in 1..<100 { #expect(store.answer(joe, at: Int64(now)) == .hit("t")) }
        let counters = store.counters
        #expect(counters.hits == 99)
        #expect(counters.misses == 1)
        #expect(counters.issued == 1)
        #expect(counters.entries == 1)
    }

    @Test("CACHE-02: concurrent misses share one call; each waiter is returned once")
    func concurrentMissesShareOneCall() throws {
        let store = IssuedTokenStore()
        let flight = try #require(store.ask(joe, 1, at: 0).flight)
        for exchange in 2...50 { #expect(Answer(store.ask(joe, UInt64(exchange), at: 0)) == .join) }
        #expect(Answer(store.ask(ann, 99, at: 0)) == .lead)
        let completion = store.complete(flight, .success(IssuedToken("t")), now: 0)
        #expect(completion.waiters.map(\.exchange) == Array(2...50))
        #expect(try completion.result.get().text == "t")
        #expect(store.counters.joins == 49)
        #expect(store.complete(flight, .success(IssuedToken("t")), now: 0).waiters.isEmpty)
    }

    @Test("CACHE-03: callers and webgates have separate tokens")
    func callersAndWebgatesAreApart() throws {
        let store = IssuedTokenStore()
        try store.fill(joe, "joe", at: 0)
        #expect(store.answer(ann, at: 0) == .lead)
        #expect(store.answer(Callers.key("joe", "HighWG"), at: 0) == .lead)
        #expect(store.answer(joe, at: 0) == .hit("joe"))
    }

    @Test("CACHE-05: a token of 40 seconds with a skew of 30 is used for ten seconds")
    func tokenIsNotUsedInItsLastSeconds() throws {
        let store = IssuedTokenStore()
        try store.fill(joe, "t", at: 1000, retained: 40)
        #expect(store.answer(joe, at: 1007) == .hit("t"))
        #expect(store.answer(joe, at: 1011) == .lead)
        #expect(store.counters.entries == 0)
    }

    @Test("a token is not used from its last usable second on")
    func tokenIsNotUsedFromTheVerySecondOn() throws {
        let store = IssuedTokenStore(timing: TokenTiming(skewSeconds: 0))
        try store.fill(joe, "t", at: 0, retained: 10)
        #expect(store.answer(joe, at: 9) == .refresh("t"))
        #expect(store.answer(joe, at: 10) == .join)
    }

    @Test("a token shorter than the skew serves its waiters and is not kept")
    func shortLivedTokenIsNotKept() throws {
        let store = IssuedTokenStore()
        let flight = try #require(store.ask(joe, at: 0).flight)
        _ = store.ask(joe, 7, at: 0)
        let completion = store.complete(flight, .success(IssuedToken("t", expiresAt: 30)), now: 0)
        #expect(completion.waiters.map(\.exchange) == [7])
        #expect(try completion.result.get().text == "t")
        #expect(store.answer(joe, at: 0) == .lead)
    }

    @Test(
        "an expired or malformed token is a failure",
        arguments: [
            IssuedToken("t", expiresAt: 100), IssuedToken("t", expiresAt: 50), IssuedToken("a\r\nX-Admin: 1"),
            IssuedToken(""),
            IssuedToken("a b"), IssuedToken("\u{7F}"), IssuedToken("é"),
        ])
    func uselessTokenIsAFailure(_ token: IssuedToken) throws {
        let store = IssuedTokenStore()
        let flight = try #require(store.ask(joe, at: 100).flight)
        #expect(throws: IssueFailure.invalidToken) {
            try store.complete(flight, .success(token), now: 100).result.get()
        }
        #expect(store.answer(joe, at: 100) == .failed(.invalidToken))
    }

    @Test("CACHE-05: a failure is remembered for at most a second", arguments: IssueFailure.all)
    func failureIsRememberedForASecond(_ failure: IssueFailure) throws {
        let store = IssuedTokenStore()
        let flight = try #require(store.ask(joe, at: 100).flight)
        _ = store.ask(joe, 2, at: 100)
        let completion = store.complete(flight, .failure(failure), now: 100)
        #expect(completion.waiters.count == 1)
        #expect(store.answer(joe, at: 100) == .failed(failure))
        #expect(store.answer(ann, at: 100) == .lead)
        #expect(store.answer(joe, at: 101) == .lead)
        #expect(store.counters.failed == 1)
    }

    @Test("one caller refreshes ahead while all use the old token")
    func refreshIsAskedOfOneCaller() throws {
        let store = IssuedTokenStore()
        try store.fill(joe, "old", at: 0, retained: 130)
        // Usable for 100 seconds, of which the last fifth is for the refresh.
        #expect(store.answer(joe, at: 79) == .hit("old"))
        let lookup = store.ask(joe, at: 80)
        #expect(Answer(lookup) == .refresh("old"))
        for _ in 0..<10 { #expect(store.answer(joe, at: 81) == .hit("old")) }
        let flight = try #require(lookup.flight)
        let new = IssuedToken("new", issuedAt: 82, expiresAt: 82 + 130)
        #expect(store.complete(flight, .success(new), now: 82).waiters.isEmpty)
        #expect(store.answer(joe, at: 82) == .hit("new"))
        #expect(store.counters.entries == 1)
    }

    @Test("a failed refresh keeps the old token, and is retried later")
    func failedRefreshLeavesTheOldTokenAndIsRepeatedLater() throws {
        let store = IssuedTokenStore()
        try store.fill(joe, "old", at: 0, retained: 130)
        let flight = try #require(store.ask(joe, at: 80).flight)
        _ = store.complete(flight, .failure(.unavailable), now: 80)
        #expect(store.answer(joe, at: 80) == .hit("old"))
        #expect(store.answer(joe, at: 81) == .refresh("old"))
    }

    @Test("if the old token expires during a refresh, others wait for it")
    func refreshBecomesACallToWaitFor() throws {
        let store = IssuedTokenStore()
        try store.fill(joe, "old", at: 0, retained: 130)
        let flight = try #require(store.ask(joe, at: 95).flight)
        #expect(Answer(store.ask(joe, 5, at: 100)) == .join)
        let completion = store.complete(flight, .success(IssuedToken("new", issuedAt: 101)), now: 101)
        #expect(completion.waiters.map(\.exchange) == [5])
    }

    @Test("CACHE-06: the least recently used token is evicted")
    func leastRecentlyUsedIsEvicted() throws {
        let store = IssuedTokenStore(maximumEntries: 2)
        try store.fill(joe, "joe", at: 0)
        try store.fill(ann, "ann", at: 0)
        #expect(store.answer(joe, at: 1) == .hit("joe"))
        try store.fill(bob, "bob", at: 2)
        #expect(store.counters.evictions == 1)
        #expect(store.counters.entries == 2)
        #expect(store.answer(joe, at: 3) == .hit("joe"))
        #expect(store.answer(bob, at: 3) == .hit("bob"))
        #expect(store.answer(ann, at: 3) == .lead)
    }

    @Test("a lost call does not block its key")
    func lostCallIsTakenOver() throws {
        let store = IssuedTokenStore(flightSeconds: 60)
        let lost = try #require(store.ask(joe, 1, at: 0).flight)
        #expect(Answer(store.ask(joe, 2, at: 59)) == .join)
        let lookup = store.ask(joe, 3, at: 60)
        #expect(Answer(lookup) == .lead)
        let flight = try #require(lookup.flight)
        #expect(Answer(store.ask(joe, 4, at: 61)) == .join)
        // The lost one reports after all: its result is not kept, and no caller is answered twice.
        #expect(store.complete(lost, .success(IssuedToken("late", issuedAt: 61)), now: 61).waiters.isEmpty)
        let completion = store.complete(flight, .success(IssuedToken("t", issuedAt: 61)), now: 61)
        #expect(completion.waiters.map(\.exchange) == [2, 4])
        #expect(store.answer(joe, at: 62) == .hit("t"))
    }

    @Test("ISS-05: an expired token is not returned, but its refresh token is used")
    func refreshTokenOutlivesItsToken() throws {
        let store = IssuedTokenStore()
        let flight = try #require(store.ask(joe, at: 0).flight)
        #expect(flight.previous == nil)
        let old = IssuedToken(
            value: Array("old".utf8), issuedAt: 0, expiresAt: 100, refresh: Array("r".utf8), refreshExpiresAt: 1000)
        _ = store.complete(flight, .success(old), now: 0)
        #expect(store.ask(joe, at: 60).flight?.previous === old)
        let next = try #require(store.ask(ann, at: 60).flight)
        #expect(next.previous == nil)
    }

    @Test("a refresh token is used after its token's expiry, not after its own")
    func refreshTokenIsUsedBehindTheEndAndNotBehindItsOwn() throws {
        for (now, isUsable) in [(200, true), (999, true), (1000, false)] as [(Int64, Bool)] {
            let store = IssuedTokenStore()
            let first = try #require(store.ask(joe, at: 0).flight)
            let old = IssuedToken(
                value: Array("old".utf8), issuedAt: 0, expiresAt: 100, refresh: Array("r".utf8), refreshExpiresAt: 1000)
            _ = store.complete(first, .success(old), now: 0)
            let lookup = store.ask(joe, at: now)
            #expect(Answer(lookup) == .lead)
            let flight = try #require(lookup.flight)
            #expect((flight.previous?.usableRefresh(now: now) != nil) == isUsable)
            // An outage does not cost the refresh token, a refusal does.
            _ = store.complete(flight, .failure(.unavailable), now: now)
            let second = try #require(store.ask(joe, at: now + 1).flight)
            #expect((second.previous?.usableRefresh(now: now + 1) != nil) == (now < 999))
            _ = store.complete(second, .failure(.refused), now: now + 1)
            #expect(store.ask(joe, at: now + 2).flight?.previous == nil)
        }
    }

    @Test("a token without an expiry is kept")
    func tokenWithoutEndIsKept() throws {
        let store = IssuedTokenStore()
        let flight = try #require(store.ask(joe, at: 0).flight)
        _ = store.complete(flight, .success(IssuedToken("t", issuedAt: 0, expiresAt: .max)), now: 0)
        #expect(store.answer(joe, at: 4_000_000_000) == .hit("t"))
    }

    @Test("ISS-03: no failure is answered with 401 but that of a login that is over")
    func failuresAreNeverAuthenticationFailures() {
        #expect(IssueFailure.all.map(\.status) == [403, 503, 502, 502, 403, 401])
        #expect(IssueFailure.unavailable.retryAfterSeconds == 1)
        #expect(IssueFailure.unavailable(retryAfter: 20).retryAfterSeconds == 20)
        #expect(IssueFailure.unavailable(retryAfter: .max).retryAfterSeconds == 3600)
        #expect(IssueFailure.unavailable(retryAfter: -5).retryAfterSeconds == 1)
        #expect(IssueFailure.refused.retryAfterSeconds == nil)
    }
}
