import Foundation
import Identity
import Synchronization
import TestSupport
import Testing
import TokenStorage

@testable import Gateway

/// A store that keeps some answers back until they are asked for.
private final class HesitantStore: TokenStore {
    private struct Waiting {
        var keepsBack: @Sendable (StoreOperation) -> Bool = { _ in false }
        var answers: [@Sendable () -> Void] = []
    }

    private let store: any TokenStore
    private let waiting = Mutex(Waiting())

    let kind: StaticString = "hesitant"
    let state = StoreState.ok

    init(_ store: any TokenStore = MemoryTokenStore()) { self.store = store }

    func keepBack(_ wanted: @escaping @Sendable (StoreOperation) -> Bool) {
        waiting.withLock { $0.keepsBack = wanted }
    }

    /// Gives one answer that was kept back. Returns whether there was one.
    func giveOne() -> Bool {
        let answer = waiting.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
        answer?()
        return answer != nil
    }

    func perform(
        _ operation: StoreOperation, now: Int64, then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
    ) {
        store.perform(operation, now: now) { [self] result in
            let isKept = waiting.withLock { waiting in
                guard waiting.keepsBack(operation) else { return false }
                waiting.answers.append { then(result) }
                return true
            }
            if !isKept { then(result) }
        }
    }
}

/// The comparison of the known deny list with that of a store that may have lost some of it.
@Suite struct RevocationComparisonTests {
    private let now: Int64 = 1000

    private func follower(_ store: any TokenStore, log: EventLog? = nil) throws -> RevocationFollower {
        var settings = RevocationFollower.Settings()
        settings.comparisonDelay = 0
        let log = try log ?? EventLog(try LogWriter(appendingTo: "/dev/null"))
        return RevocationFollower(
            store, list: RevocationList(), isShared: true, settings: settings, log: log, now: 0)
    }

    private func ask(_ store: any TokenStore, _ operation: StoreOperation) -> StoreAnswer? {
        let answer = Mutex<StoreAnswer?>(nil)
        store.perform(operation, now: now) { result in answer.withLock { $0 = try? result.get() } }
        return answer.withLock { $0 }
    }

    private func denied(_ store: any TokenStore) -> [String] {
        guard case .changes(let changes, _)? = ask(store, .changes(after: 0, limit: 100_000)) else { return [] }
        return changes.map(\.entry.name)
    }

    @Test("while a long list is compared the queries go on, and their answers apply")
    func queriesGoOn() throws {
        let shared = MemoryTokenStore()
        let count = 3 * RevocationFollower.pageSize + 5
        for i in 0..<count { _ = ask(shared, .deny(.token("t\(i)", until: 2000))) }
        let store = HesitantStore(shared)
        let follower = try follower(store)
        follower.tick(milliseconds: 0, now: now)
        #expect(follower.list.count == count)
        // The pages of the comparison, from the beginning on; queries ask for what is new.
        store.keepBack { if case .changes(let place, _) = $0 { place < Int64(count) } else { false } }
        follower.storeReturned()
        var pages = 0
        for turn in 1...40 {
            let time = Int64(turn) * 250
            _ = ask(shared, .deny(.token("later \(turn)", until: 2000)))
            follower.tick(milliseconds: time, now: now)
            #expect(follower.list.isRevoked(tokenID: "later \(turn)", subject: "", backendID: nil, issuedAt: now))
            // One of the pages every two and a half seconds.
            if turn.isMultiple(of: 10), store.giveOne() { pages += 1 }
        }
        #expect(pages == 4)
        #expect(denied(shared).count == count + 40, "nothing was lost")
    }

    @Test("processes that have lost the same entries write each of them once")
    func writtenOnce() throws {
        let lost = (0..<20).map { "t\($0)" }
        let heir = MemoryTokenStore()
        let hesitant = HesitantStore(heir)
        let followers = try [follower(hesitant), follower(heir)]
        for follower in followers {
            follower.tick(milliseconds: 0, now: now)
            for id in lost { follower.list.revoke(tokenID: id, until: 2000) }
            follower.storeReturned()
        }
        // The first one has asked for the list and written one entry when the second one begins.
        hesitant.keepBack { if case .deny = $0 { true } else { false } }
        followers[0].tick(milliseconds: 250, now: now)
        #expect(denied(heir).count == 1)
        followers[1].tick(milliseconds: 250, now: now)
        #expect(denied(heir).count == lost.count)
        followers[0].tick(milliseconds: 500, now: now)
        while hesitant.giveOne() {}
        #expect(denied(heir).sorted() == lost.sorted())
    }

    @Test("entries that cannot be read are skipped and told, and those around them apply")
    func unknownEntries() throws {
        let path = NSTemporaryDirectory() + "portcullis-\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try LogWriter(appendingTo: path)
        let store = MemoryTokenStore()
        _ = ask(store, .deny(.token("before", until: 2000)))
        for kind in ["family2", "", "family2"] { _ = ask(store, .deny(.unknown(kind))) }
        _ = ask(store, .deny(.token("behind", until: 2000)))
        let follower = try follower(store, log: EventLog(writer))
        follower.tick(milliseconds: 0, now: now)
        for id in ["before", "behind"] {
            #expect(follower.list.isRevoked(tokenID: id, subject: "", backendID: nil, issuedAt: now))
        }
        #expect(!follower.list.reading.isBlind && follower.report(now: 0).skipped == 3)
        follower.storeReturned()
        follower.tick(milliseconds: 250, now: now)
        #expect(follower.report(now: 0).skipped == 3, "a comparison counts none again")
        #expect(denied(store).count == 5)
        writer.flush()
        let told = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            told.contains(#""event":"deny_entries_skipped","store":"memory","kind":"family2","count":3"#), "\(told)")
    }
}
