import Identity
import Issuers
import Model
import Reactor
import Synchronization
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// A store in memory that can be silent, as one is that cannot be reached.
final class SilentStore: TokenStore {
    private let store = Mutex(MemoryTokenStore())
    private let isSilent = Mutex(false)

    let kind: StaticString = "silent"
    let state = StoreState.ok

    func setSilent(_ silent: Bool) { isSilent.withLock { $0 = silent } }

    /// Another server takes over, which has this and nothing else.
    func replace(with other: MemoryTokenStore) { store.withLock { $0 = other } }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if isSilent.withLock({ $0 }) { return then(.failure(.unavailable)) }
        store.withLock { $0 }.perform(operation, now: now, then: then)
    }
}

@Suite struct RevocationFollowerTests {
    private let now: Int64 = 1000

    private func follower(
        _ store: any TokenStore, _ stance: StoreOutageRule = .deny
    ) throws -> RevocationFollower {
        var settings = RevocationFollower.Settings()
        settings.whenUnavailable = stance
        settings.comparisonDelay = 0
        return RevocationFollower(
            store, list: RevocationList(), isShared: true, settings: settings,
            log: EventLog(try LogWriter(appendingTo: "/dev/null")), now: 0)
    }

    private func record(_ id: String, slot: String = "", access: Int64 = 2000) -> TokenRecord {
        var record = TokenRecord(
            id: id, kind: .pair, application: "shop", subject: "joe", tokenID: "t-\(id)", accessExpiresAt: access,
            issuedAt: now)
        record.slot = slot
        record.refreshDigest = Array(id.utf8)
        record.refreshExpiresAt = 3000
        return record
    }

    /// The stores here answer before they return.
    private func ask(_ store: any TokenStore, _ operation: StoreOperation) -> Result<StoreAnswer, StoreFailure>? {
        let answer = Mutex<Result<StoreAnswer, StoreFailure>?>(nil)
        store.perform(operation, now: now) { result in answer.withLock { $0 = result } }
        return answer.withLock { $0 }
    }

    private func isRevoked(_ follower: RevocationFollower, _ id: String) -> Bool {
        follower.list.isRevoked(tokenID: id, subject: "", backendID: nil, issuedAt: now)
    }

    @Test func whatIsRevokedHereIsRefusedBeforeTheAnswer() throws {
        let follower = try follower(MemoryTokenStore())
        for id in ["a", "b", "c", "d"] { _ = ask(follower, .claim(record(id, slot: "s-\(id)"))) }
        _ = ask(follower, .claim(record("e", access: 900)))
        _ = ask(follower, .revoke(.id("a")))
        _ = ask(follower, .replace(record("b2", slot: "s-b")))
        var next = record("c", slot: "s-c")
        next.tokenID = "t-c2"
        next.refreshDigest = [2]
        let rotation = StoreOperation.rotate(
            refresh: Array("c".utf8), application: "shop", proposed: next, reuse: .detected())
        _ = ask(follower, rotation)
        #expect(["t-a", "t-b", "t-c"].allSatisfy { isRevoked(follower, $0) })
        #expect(["t-b2", "t-c2", "t-d"].allSatisfy { !isRevoked(follower, $0) })
        next.tokenID = "t-c3"
        #expect(ask(follower, rotation) == .success(.reused(family: "c")))
        #expect(isRevoked(follower, "t-c2"))
        _ = ask(follower, .revoke(.application("shop")))
        #expect(isRevoked(follower, "t-d") && isRevoked(follower, "t-b2"))
        // It had ended by itself.
        #expect(!isRevoked(follower, "t-e"))
    }

    @Test func whatOthersRevokeIsLearnt() throws {
        let store = MemoryTokenStore()
        let (here, there) = (try follower(store), try follower(store))
        here.tick(milliseconds: 0, now: now)
        _ = ask(there, .deny(.token("x", until: 2000)))
        _ = ask(there, .deny(.subject("joe", issuedBefore: now, until: 2000)))
        _ = ask(there, .deny(.issuer("partner", issuedBefore: now, until: 2000)))
        _ = ask(there, .deny(.token("ended", until: 1000)))
        #expect(!isRevoked(here, "x"))
        here.tick(milliseconds: 249, now: now)
        #expect(!isRevoked(here, "x"), "not before its time")
        here.tick(milliseconds: 250, now: now)
        #expect(isRevoked(here, "x") && !isRevoked(here, "ended"))
        #expect(here.list.isRevoked(tokenID: nil, subject: "joe", backendID: nil, issuedAt: now))
        #expect(
            here.list.isRevoked(tokenID: nil, subject: "ann", backendID: nil, issuer: "partner", issuedAt: now))
        #expect(here.list.count == 3)
    }

    @Test func moreThanAPageIsLearntAtOnce() throws {
        let store = MemoryTokenStore()
        let count = 2 * RevocationFollower.pageSize + 5
        for i in 0..<count { _ = ask(store, .deny(.token("t\(i)", until: 2000))) }
        let follower = try follower(store)
        #expect(follower.list.reading.isBlind, "nothing is known yet")
        follower.tick(milliseconds: 0, now: now)
        #expect(follower.list.count == count)
        #expect(!follower.list.reading.isBlind)
    }

    @Test("bearer requests are refused while revocations are unknown, and only with that stance")
    func stances() throws {
        for stance in [StoreOutageRule.deny, .allow] {
            let store = SilentStore()
            let follower = try follower(store, stance)
            let start = Clock.monotonicMilliseconds
            follower.tick(milliseconds: start, now: now)
            #expect(follower.report(now: start).isCurrent)
            _ = ask(follower, .deny(.token("x", until: 2000)))
            let generation = follower.list.generation
            store.setSilent(true)
            follower.tick(milliseconds: start + 2900, now: now)
            #expect(follower.report(now: start).isCurrent && !follower.list.reading.isBlind)
            follower.tick(milliseconds: start + 3500, now: now)
            #expect(!follower.report(now: start).isCurrent)
            #expect(follower.list.reading.isBlind == (stance == .deny))
            #expect(follower.report(now: start).refuses == (stance == .deny))
            #expect(isRevoked(follower, "x"), "the last known list goes on")
            #expect(ask(follower, .find(.id("a"))) == .failure(.unavailable))
            // Refused here all the same, before the store has failed.
            #expect(ask(follower, .deny(.token("y", until: 2000))) == .failure(.unavailable))
            #expect(isRevoked(follower, "y"))
            store.setSilent(false)
            follower.tick(milliseconds: start + 4000, now: now)
            #expect(follower.report(now: start).isCurrent && !follower.list.reading.isBlind)
            #expect(follower.list.generation == generation + 1, "caches keep what they know")
            #expect(follower.report(now: start).failed > 0)
        }
    }

    // MARK: Lost writes

    private func denied(_ store: any TokenStore) -> [DenyEntry] {
        let answer = ask(store, .changes(after: 0, limit: 10_000))
        guard case .success(.changes(let changes, _))? = answer else { return [] }
        return changes.map(\.entry)
    }

    @Test("a server that lacks what was revoked receives it again, and what it has is not doubled")
    func lostWrites() throws {
        let store = SilentStore()
        let follower = try follower(store)
        follower.tick(milliseconds: 0, now: now)
        let kept = DenyEntry.token("kept", until: 2000)
        let lost: [DenyEntry] = [
            .token("lost", until: 2000), .subject("joe", issuedBefore: 900, until: 2000),
            .client("b", issuedBefore: 950, until: 2000), .issuer("local", issuedBefore: 800, until: 2000),
        ]
        for entry in [kept] + lost + [.token("ended", until: 1001)] { _ = ask(follower, .deny(entry)) }
        follower.tick(milliseconds: 250, now: now)
        let heir = MemoryTokenStore()
        _ = ask(heir, .deny(kept))
        _ = ask(heir, .deny(.subject("joe", issuedBefore: 700, until: 2000)))
        // Others go on with it, so that its places tell nothing.
        for i in 0..<100 { _ = ask(heir, .deny(.token("other \(i)", until: 2000))) }
        store.replace(with: heir)
        follower.storeReturned()
        follower.tick(milliseconds: 500, now: now + 1)
        let held = denied(heir)
        for entry in [kept] + lost { #expect(held.filter { $0 == entry }.count == 1, "\(entry)") }
        #expect(!held.contains { $0.name == "ended" })
        #expect(held.count == 2 + 100 + lost.count)
        #expect(isRevoked(follower, "other 99"))
        follower.storeReturned()
        follower.tick(milliseconds: 5000, now: now + 1)
        #expect(denied(heir).count == held.count)
    }

    @Test("a store that is empty receives everything, without a new connection")
    func emptied() throws {
        let store = SilentStore()
        let follower = try follower(store)
        follower.tick(milliseconds: 0, now: now)
        for i in 0..<3 { _ = ask(follower, .deny(.token("t\(i)", until: 2000))) }
        follower.tick(milliseconds: 250, now: now)
        let heir = MemoryTokenStore()
        store.replace(with: heir)
        follower.tick(milliseconds: 500, now: now)
        follower.tick(milliseconds: 750, now: now)
        #expect(Set(denied(heir).map(\.name)) == ["t0", "t1", "t2"])
    }

    @Test("what could not be written is written when the store answers again")
    func toldLater() throws {
        let store = SilentStore()
        let follower = try follower(store)
        follower.tick(milliseconds: 0, now: now)
        store.setSilent(true)
        #expect(ask(follower, .deny(.token("x", until: 2000))) == .failure(.unavailable))
        follower.tick(milliseconds: 250, now: now)
        store.setSilent(false)
        follower.tick(milliseconds: 2500, now: now)
        #expect(denied(store) == [.token("x", until: 2000)])
    }

    // MARK: Accounts

    @Test("what is withdrawn elsewhere is refused here; heard of late, what was issued meanwhile ends too")
    func accounts() throws {
        let store = MemoryTokenStore()
        let (here, there) = (try follower(store), try follower(store))
        for follower in [here, there] { follower.withdrawn.use { ["digest of \($0)"] } }
        here.tick(milliseconds: 0, now: now)
        func tell(_ credential: WithdrawnAccounts.Credential, _ isWithdrawn: Bool, at second: Int64) throws {
            let made = there.withdrawn.notice(
                credential, isWithdrawn: isWithdrawn, milliseconds: second * 1000, until: 5000)
            let (name, notice) = try #require(made)
            _ = ask(there, .deny(.notice(name, notice)))
        }
        let joe = WithdrawnAccounts.Credential.user(realm: "Default", name: "joe")
        let ann = WithdrawnAccounts.Credential.user(realm: "Default", name: "ann")
        try tell(joe, true, at: now)
        here.tick(milliseconds: 250, now: now + 1)
        #expect(here.withdrawn.contains(joe) && !here.withdrawn.contains(ann))
        func isEnded(_ subject: String, _ issuedAt: Int64) -> Bool {
            here.list.isRevoked(tokenID: nil, subject: subject, backendID: nil, issuedAt: issuedAt)
        }
        #expect(!isEnded("joe", now))
        try tell(joe, false, at: now)
        here.tick(milliseconds: 500, now: now + 1)
        #expect(!here.withdrawn.contains(joe))
        try tell(ann, true, at: now)
        here.tick(milliseconds: 750, now: now + 60)
        #expect(isEnded("ann", now + 60) && !isEnded("ann", now + 61))
        // All the others receive it.
        there.tick(milliseconds: 0, now: now + 60)
        #expect(there.list.isRevoked(tokenID: nil, subject: "ann", backendID: nil, issuedAt: now + 60))
        // One that starts later has issued nothing.
        let late = try follower(store)
        late.withdrawn.use { ["digest of \($0)"] }
        late.tick(milliseconds: 0, now: now + 100)
        #expect(late.withdrawn.contains(ann) && !late.withdrawn.contains(joe))
        #expect(!late.list.isRevoked(tokenID: nil, subject: "ann", backendID: nil, issuedAt: now + 61))
    }

    @Test("tokens with a role end if that was heard of late; other withdrawals end none")
    func rights() throws {
        let store = MemoryTokenStore()
        let (here, there) = (try follower(store), try follower(store))
        for follower in [here, there] { follower.withdrawn.use { ["digest of \($0)"] } }
        here.tick(milliseconds: 0, now: now)
        let all: [WithdrawnAccounts.Credential] = [
            .role(realm: "Default", name: "joe", role: "Clerk"), .apiKey(digest: [1], consumer: "shop"),
            .consumer(name: "shop"), .consumerRole(name: "shop", role: "Clerk"),
            .setting(backendID: "b", name: "httpBasic"), .certificate(fingerprint: "1f", alias: "idp"),
        ]
        for credential in all {
            let made = there.withdrawn.notice(
                credential, isWithdrawn: true, from: 9, milliseconds: now * 1000, until: 5000)
            let (name, notice) = try #require(made)
            _ = ask(there, .deny(.notice(name, notice)))
        }
        here.tick(milliseconds: 250, now: now + 60)
        for credential in all {
            #expect(here.withdrawn.withdrawal(of: credential)?.from == 9)
            #expect(here.withdrawn.withdrawal(of: credential)?.holder == credential.holder)
        }
        #expect(denied(store).filter(\.kind.isAboutTokens) == [.subject("joe", issuedBefore: now + 60, until: 5000)])
    }

    @Test("what cannot be read is refused if its object is known, and is never written")
    func unknown() throws {
        let store = MemoryTokenStore()
        let (here, other) = (try follower(store), try follower(MemoryTokenStore()))
        for follower in [here, other] { follower.withdrawn.use { ["digest of \($0)"] } }
        let joe = WithdrawnAccounts.Credential.user(realm: "Default", name: "joe")
        let made = here.withdrawn.notice(joe, isWithdrawn: false, milliseconds: now * 1000, until: 5000)
        let (name, notice) = try #require(made)
        _ = ask(store, .deny(.notice(name, notice)))
        _ = ask(store, .deny(.unknown("suspended", about: name, changedAt: now * 1000 + 1, until: 5000)))
        var future = notice
        future.isWithdrawn = true
        _ = ask(store, .deny(.notice("grant:abc", future)))
        here.tick(milliseconds: 0, now: now)
        #expect(here.withdrawn.contains(joe) && here.report(now: 0).skipped == 2)
        // Another server, which has nothing: the notice that was understood is written to it, the guess is not.
        #expect(here.withdrawn.entries(now: now).allSatisfy { $0.name != name })
        let again = try #require(
            here.withdrawn.notice(joe, isWithdrawn: false, milliseconds: now * 1000, until: 5000))
        _ = ask(here, .deny(.notice(again.name, again.notice)))
        #expect(!here.withdrawn.contains(joe))
        // Without dates it is the latest.
        _ = ask(store, .deny(.unknown("withdrawn", about: name)))
        here.tick(milliseconds: 250, now: now)
        #expect(here.withdrawn.contains(joe))
    }

    @Test("what was issued for a revoked caller goes too (CACHE-07)")
    func purges() throws {
        let store = MemoryTokenStore()
        let follower = try follower(store)
        let issued = IssuedTokenStore()
        follower.purge(issued)
        let before = issued.counters.entries
        _ = ask(store, .deny(.token("x", subject: "joe", until: 2000)))
        follower.tick(milliseconds: 0, now: now)
        #expect(issued.counters.entries == before)
        #expect(isRevoked(follower, "x"))
    }
}

/// How a worker takes the store's silence.
@Suite struct WorkerStoreTests {
    @Test("readiness and metrics say that the store is silent, and that it speaks again")
    func silence() throws {
        let store = SilentStore()
        let bench = try WorkerBench {
            $0.store = store
            $0.following.staleAfter = 300
        }
        func ask(_ path: String, _ text: String) -> String {
            let admin = bench.adminClient()
            admin.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            bench.turn(until: { admin.text.contains(text) })
            return admin.text
        }
        bench.turn(until: { !bench.shared.revocations.reading.isBlind })
        #expect(ask("/readyz", "ready\n").hasPrefix("HTTP/1.1 200 "))
        store.setSilent(true)
        bench.turn(until: { bench.shared.revocations.reading.isBlind })
        #expect(ask("/readyz?store", "store unavailable").hasPrefix("HTTP/1.1 503 "))
        #expect(ask("/readyz?x=1&store=", "not ready\nstore unavailable").hasPrefix("HTTP/1.1 503 "))
        #expect(ask("/readyz?stores&x=store", "store unavailable").hasPrefix("HTTP/1.1 200 "))
        #expect(ask("/readyz", "ready\nstore unavailable").hasPrefix("HTTP/1.1 200 "))
        #expect(ask("/metrics", "portcullis_uptime_seconds ").contains("portcullis_store_up{store=\"silent\"} 0\n"))
        store.setSilent(false)
        bench.turn(until: { !bench.shared.revocations.reading.isBlind })
        #expect(ask("/readyz?store", "ready\n").hasPrefix("HTTP/1.1 200 "))
        bench.expectNothingLeft()
    }
}
