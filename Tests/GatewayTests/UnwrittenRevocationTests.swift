import Identity
import Model
import Reactor
import Synchronization
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// A store in memory that answers and takes nothing, as one does whose disk is full.
private final class FullStore: TokenStore {
    private let store = MemoryTokenStore()
    private let failure = Mutex<StoreFailure?>(nil)
    private let asked = Mutex<[StoreOperation]>([])

    let kind: StaticString = "full"
    let state = StoreState.ok

    /// What was asked of it and waits for the store.
    var writes: Int { asked.withLock { $0.count } }

    func fail(_ failure: StoreFailure?) { self.failure.withLock { $0 = failure } }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        if !operation.isRead {
            asked.withLock { $0.append(operation) }
            if let failure = failure.withLock({ $0 }) { return then(.failure(failure)) }
        }
        store.perform(operation, now: now, then: then)
    }

    var denied: [DenyEntry] {
        let answer = Mutex<[DenyEntry]>([])
        store.perform(.changes(after: 0, limit: 100), now: 0) { result in
            guard case .success(.changes(let changes, _)) = result else { return }
            answer.withLock { $0 = changes.map(\.entry) }
        }
        return answer.withLock { $0 }
    }
}

/// What becomes of revocations that cannot be written to the store.
@Suite struct UnwrittenRevocationTests {
    private let store = FullStore()

    private func follower(
        _ stance: StoreOutageRule = .deny, isShared: Bool = true
    ) throws -> RevocationFollower {
        var settings = RevocationFollower.Settings()
        settings.whenUnavailable = stance
        return RevocationFollower(
            store, list: RevocationList(), isShared: isShared, settings: settings,
            log: EventLog(try LogWriter(appendingTo: "/dev/null")), now: 0)
    }

    private func deny(_ follower: RevocationFollower, _ entry: DenyEntry, now: Int64 = 1000) {
        follower.perform(.deny(entry), now: now) { _ in }
    }

    private func readiness(_ follower: RevocationFollower) -> Readiness {
        Readiness([], store: follower.report(now: 0), isDraining: false)
    }

    @Test("they wait, each once and in order, and are written once the store takes them")
    func wait() throws {
        let follower = try follower()
        follower.tick(milliseconds: 0, now: 1000)
        #expect(readiness(follower).isReady && store.writes == 0, "nothing is tried while nothing is wrong")
        store.fail(.full)
        let entries: [DenyEntry] = [
            .token("x", subject: "joe", until: 2000), .token("jo\u{EB}", until: 2000),
            .token("joe\u{308}", until: 2000),
            .subject("x", issuedBefore: 1000, until: 2000), .token("short", until: 1001),
        ]
        for entry in entries + entries { deny(follower, entry) }
        // Asked for once more, and for longer.
        deny(follower, .subject("x", issuedBefore: 1010, until: 1500))
        deny(follower, .subject("x", issuedBefore: 900, until: 2500))
        #expect(follower.report(now: 0).unwritten == 5)
        #expect(follower.list.isRevoked(tokenID: "x", subject: "", backendID: nil, issuedAt: 0))
        let ready = readiness(follower)
        #expect(ready.isReady, "tokens are known as before")
        #expect(ready.response(includingStore: true).status == 503)
        #expect(ready.causes == ["store takes nothing: store_full, 5 revocations wait"])
        #expect(!follower.report(now: 0).isUp && follower.report(now: 0).isCurrent)
        let before = store.writes
        follower.tick(milliseconds: 250, now: 1000)
        #expect(store.writes == before + 1, "one is tried")
        store.fail(nil)
        follower.tick(milliseconds: 500, now: 1001)
        // One has ended meanwhile.
        #expect(
            store.denied == Array(entries.prefix(3)) + [.subject("x", issuedBefore: 1010, until: 2500)])
        #expect(follower.report(now: 0).isUp && follower.report(now: 0).unwritten == 0)
        #expect(readiness(follower).response(includingStore: true).status == 200)
        let after = store.writes
        follower.tick(milliseconds: 750, now: 1001)
        #expect(store.writes == after)
    }

    @Test("a failed write that is no revocation is noticed, and only a write that works ends that")
    func otherWrites() throws {
        let follower = try follower()
        follower.tick(milliseconds: 0, now: 1000)
        store.fail(.unavailable)
        follower.perform(.remember(key: "k", until: 2000), now: 1000) { _ in }
        #expect(!follower.report(now: 0).isUp && follower.report(now: 0).unwritten == 0)
        follower.tick(milliseconds: 250, now: 1000)
        #expect(!follower.report(now: 0).isUp, "reading is no proof")
        store.fail(nil)
        follower.tick(milliseconds: 500, now: 1000)
        #expect(follower.report(now: 0).isUp)
        store.fail(.overloaded)
        deny(follower, .token("x", until: 2000))
        #expect(follower.report(now: 0).isUp, "too much at once is no failure of the store")
        #expect(follower.report(now: 0).unwritten == 1)
        store.fail(nil)
        follower.tick(milliseconds: 750, now: 1000)
        #expect(store.denied == [.token("x", until: 2000)])
    }

    @Test("requests still come with the other stance, and a store of one process tells no others later")
    func stances() throws {
        store.fail(.full)
        let tolerant = try follower(.allow)
        deny(tolerant, .token("x", until: 2000))
        #expect(readiness(tolerant).isReady)
        #expect(readiness(tolerant).causes.last == "store takes nothing: store_full, 1 revocations wait")
        let alone = try follower(isShared: false)
        deny(alone, .token("x", until: 2000))
        #expect(alone.report(now: 0).isUp && alone.report(now: 0).unwritten == 0)
    }

    @Test("the record of a token goes with it")
    func records() throws {
        let follower = try follower()
        var record = TokenRecord(
            id: "a", kind: .refresh, application: "shop", subject: "joe", tokenID: "t", accessExpiresAt: 2000,
            issuedAt: 1000)
        record.refreshDigest = [1]
        record.refreshExpiresAt = 3000
        follower.perform(.insert(record), now: 1000) { _ in }
        store.fail(.timedOut)
        deny(follower, .token("t", until: 2000))
        follower.keep(.revoke(.tokenID("t")))
        follower.keep(.revoke(.tokenID("t")))
        #expect(follower.report(now: 0).unwritten == 2)
        store.fail(nil)
        follower.tick(milliseconds: 0, now: 1000)
        let found = Mutex<StoreAnswer?>(nil)
        follower.perform(.find(.id("a")), now: 1000) { result in found.withLock { $0 = try? result.get() } }
        #expect(found.withLock { $0 } == .record(nil))
        #expect(follower.report(now: 0).unwritten == 0)
    }
}
