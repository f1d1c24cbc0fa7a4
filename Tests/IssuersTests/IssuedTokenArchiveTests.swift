import Identity
import Issuers
import Synchronization
import Testing
import TokenStorage

/// CACHE-10: what is left to the next process, and what is not.
@Suite struct IssuedTokenArchiveTests {
    private let tokens = MemoryTokenStore()
    private let key = TokenDigestKey(Array(repeating: 7, count: TokenDigestKey.length))

    /// The cache of a process that starts now.
    private func start(at now: Int64, capacity: Int = 100) throws -> IssuedTokenStore {
        let archive = IssuedTokenArchive(store: tokens, key: try #require(key), capacity: capacity)
        let isLoaded = Mutex(false)
        archive.load(now: now) { success in isLoaded.withLock { $0 = success } }
        #expect(isLoaded.withLock { $0 })
        return IssuedTokenStore(archive: archive)
    }

    private func records() -> [TokenRecord] {
        let found = Mutex<[TokenRecord]>([])
        tokens.perform(.list(application: IssuedTokenArchive.application, subject: nil, limit: 100), now: 0) { result in
            guard case .success(.records(let records)) = result else { return }
            found.withLock { $0 = records }
        }
        return found.withLock { $0 }
    }

    @Test("the next process uses the stored tokens")
    func theNextProcessGoesOn() throws {
        let (joe, ann) = (Callers.key("joe"), Callers.key("ann"))
        try start(at: 1000).fill(joe, "secret-token", at: 1000)
        for record in records() {
            #expect(record.sealed.count > 12)
            #expect(!String(decoding: record.sealed, as: UTF8.self).contains("secret-token"))
        }
        let next = try start(at: 1100)
        #expect(next.answer(joe, at: 1100) == .hit("secret-token"))
        #expect(next.answer(ann, at: 1100) == .lead)
        #expect(next.answer(Callers.key("joe", "HighWG"), at: 1100) == .lead)
        #expect(next.counters.issued == 0 && next.counters.hits == 1)
        // It has ended.
        #expect(try start(at: 4600).answer(joe, at: 4600) == .lead)
    }

    @Test("tokens of a former key are used, and replaced under the key in use")
    func changedKey() throws {
        let joe = Callers.key("joe")
        try start(at: 1000).fill(joe, "secret-token", at: 1000)
        try #require(key).adopt(try #require(TokenDigestKey(keys: [8, 7].map { Array(repeating: $0, count: 32) })))
        let next = try start(at: 1100)
        #expect(next.answer(joe, at: 1100) == .hit("secret-token"))
        #expect(next.refuse(try #require(next.find(joe, now: 1100)), for: joe, now: 1100))
        #expect(records().isEmpty)
        try next.fill(joe, "next-token", at: 1100)
        try #require(key).adopt(try #require(TokenDigestKey(Array(repeating: 8, count: 32))))
        #expect(try start(at: 1101).answer(joe, at: 1101) == .hit("next-token"))
    }

    @Test("stored tokens are separate by every field of the cache key")
    func callersAreApart() throws {
        let target = Callers.target("InventoryWG", DummyIssuer(dependsOnCredential: true))
        let principals = [
            Callers.principal(), Callers.principal("joe1"), Callers.principal(kind: .client),
            Callers.principal(issuer: "other"), Callers.principal(client: nil), Callers.principal(roles: ["Manager"]),
            Callers.principal(roles: ["a", "b"]), Callers.principal(roles: ["a,b"]), Callers.principal(level: 3),
            Callers.principal(virtual: true), Callers.principal(token: "t"),
        ]
        for (index, principal) in principals.enumerated() {
            try start(at: 1000).fill(
                InjectionKey(principal: principal, target: target), "t\(index)", at: 1000)
        }
        let next = try start(at: 1001)
        for (index, principal) in principals.enumerated() {
            #expect(next.answer(InjectionKey(principal: principal, target: target), at: 1001) == .hit("t\(index)"))
        }
    }

    @Test("purged tokens are removed from the store")
    func whatIsPurgedIsGoneThere() throws {
        let (joe, ann) = (Callers.key("joe"), Callers.key("ann"))
        let first = try start(at: 1000)
        try first.fill(joe, "j", at: 1000)
        try first.fill(ann, "a", at: 1000)
        first.purge(subject: "joe")
        #expect(records().map(\.subject) == ["ann"])
        // What an earlier process has left is purged as well.
        let second = try start(at: 1001)
        second.purge(subject: "ann")
        #expect(second.answer(ann, at: 1001) == .lead && records().isEmpty)
        try second.fill(joe, "j", at: 1001)
        second.purge(backendID: "another")
        #expect(records().count == 1)
        second.purge(backendID: "mbe-inv-1")
        #expect(records().isEmpty)
        try second.fill(joe, "j", at: 1001)
        second.purge(configurationID: "dummy:1")
        #expect(records().isEmpty)
    }

    @Test("tokens refused by an upstream are removed from the store")
    func whatAnUpstreamHasRefusedIsGoneThere() throws {
        let joe = Callers.key("joe")
        let first = try start(at: 1000)
        try first.fill(joe, "j", at: 1000)
        let token = try #require(first.find(joe, now: 1000))
        #expect(first.refuse(token, for: joe, now: 1000))
        #expect(records().isEmpty)
    }

    @Test(
        "tokens of callers revoked meanwhile are not used",
        arguments: [
            DenyEntry.token("t", subject: "joe", until: 9000), .subject("joe", issuedBefore: 1000, until: 9000),
            .client("mbe-inv-1", issuedBefore: 1000, until: 9000),
        ])
    func whoWasRevokedMeanwhileBeginsAnew(_ entry: DenyEntry) throws {
        let joe = Callers.key("joe")
        try start(at: 1000).fill(joe, "j", at: 1000)
        tokens.perform(.deny(.token("other", subject: "ann", until: 9000)), now: 1000) { _ in }
        #expect(try start(at: 1001).answer(joe, at: 1001) == .hit("j"))
        tokens.perform(.deny(entry), now: 1001) { _ in }
        #expect(try start(at: 1002).answer(joe, at: 1002) == .lead)
    }

    @Test("the number of stored tokens is limited")
    func thereIsABound() throws {
        let store = try start(at: 1000, capacity: 2)
        for subject in ["a", "b", "c"] { try store.fill(Callers.key(subject), subject, at: 1000) }
        #expect(Set(records().map(\.subject)) == ["a", "b"])
        // Those that have ended make room.
        try store.fill(Callers.key("c"), "c2", at: 5000)
        #expect(records().map(\.subject).contains("c"))
    }
}
