import Crypto
import Foundation
import Identity
import MobileSocial
import Model
import Outbound
import TestSupport
import Testing
import TokenStorage

/// Verifiers of users who are known elsewhere, in every store (OMS-12, OMS-13).
@Suite struct OfflineVerifierStoreTests {
    private static let joe = OfflineVerifierStore.Key(domain: "Staff", user: "joe")

    private func verifiers(_ store: any TokenStore) -> OfflineVerifierStore {
        OfflineVerifierStore(store: store, key: Service.storeKey, hasher: PasswordHasher())
    }

    private func keep(
        _ verifiers: OfflineVerifierStore, _ user: String = "joe", _ password: String = "Remote1",
        seconds: Int64 = 1000,
        maximum: Int = 100, now: Int64 = 1000
    ) async {
        await OfflineVerifierStoreTests.value {
            verifiers.keep(
                PresentedLogin(username: user, password: password),
                OfflineVerifierStore.Key(domain: "Staff", user: user),
                scheme: .saltedSHA512, seconds: seconds, maximum: maximum, now: now
            ) { .done(()) }
        }
    }

    private func attempt(
        _ verifiers: OfflineVerifierStore, maximum: Int64 = 3, now: Int64 = 1000
    ) async -> OfflineVerifierStore.Attempt {
        await OfflineVerifierStoreTests.value {
            verifiers.attempt(
                OfflineVerifierStoreTests.joe, now: now,
                source: { PasswordSource(.auto, isAllowed: true, $0.state, maximum: maximum) }
            ) { .done($0) }
        }
    }

    private func find(_ verifiers: OfflineVerifierStore, now: Int64 = 1000) async throws -> StoredVerifier? {
        try await OfflineVerifierStoreTests.value {
            verifiers.find(OfflineVerifierStoreTests.joe, now: now) { .done($0) }
        }.get()
    }

    /// Waits until what was begun without waiting has come to the store.
    private func wait(_ condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while try await !condition() {
            try #require(ContinuousClock.now < end, "it did not come about")
            await Task.yield()
        }
    }

    private static func value<Value: Sendable>(_ make: () -> Effect<Value>) async -> Value {
        await settle(make())
    }

    private static func settle<Value: Sendable>(_ effect: Effect<Value>) async -> Value {
        switch effect {
        case .done(let value): return value
        case .offload(let work), .hash(_, let work): return await settle(work())
        case .await(let begin):
            let next = await withCheckedContinuation { continuation in begin { continuation.resume(returning: $0) } }
            return await settle(next)
        }
    }

    @Test(
        "CRYPTO-02: the verifier recognises the password without revealing it", arguments: StoreUnderTest.allCases)
    func keeps(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let verifiers = verifiers(store)
            #expect(try await find(verifiers) == nil)
            guard case .none = await attempt(verifiers) else { throw Unexpected() }
            await keep(verifiers)
            let record = try #require(try await store.records().first)
            #expect(record.kind == .verifier && record.subject == "joe")
            let text = String(decoding: record.sealed + record.attributes, as: UTF8.self)
            #expect(!text.contains("Remote1") && !text.contains("SHA"))
            #expect(!record.id.contains("joe"))
            guard case .counted(let verifier) = await attempt(verifiers) else { throw Unexpected() }
            #expect(verifiers.isRight("Remote1", verifier) && !verifiers.isRight("Remote2", verifier))
            let other = OfflineVerifierStore(
                store: store, key: try #require(TokenDigestKey(Array(repeating: 7, count: 32))),
                hasher: PasswordHasher())
            #expect(!other.isRight("Remote1", verifier), "not without the key of the installation")
            #expect(try await store.denied().isEmpty)
        }
    }

    @Test(
        "concurrent attempts are limited to the allowed number", arguments: StoreUnderTest.allCases)
    func race(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let first = try place.open()
            // Two processes, where the store is one that they share.
            let stores = subject == .memory ? [first, first] : [first, try place.open()]
            await keep(verifiers(first))
            let attempts = await withTaskGroup(of: OfflineVerifierStore.Attempt.self) { group in
                for i in 0..<50 { group.addTask { await attempt(verifiers(stores[i % 2]), maximum: 3) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var (counted, busy) = (0, 0)
            for attempt in attempts {
                switch attempt {
                case .counted: counted += 1
                case .busy: busy += 1
                default: break
                }
            }
            // CON-21: one more than are allowed.
            #expect(counted == 4)
            #expect(busy == 46)
            #expect(try await find(verifiers(first))?.state == .kept(failures: 4))
        }
    }

    @Test("S40: an exhausted verifier is wiped until the next login", arguments: StoreUnderTest.allCases)
    func usedUp(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let store = try place.open()
            await keep(verifiers(store))
            for _ in 0..<4 { guard case .counted = await attempt(verifiers(store)) else { throw Unexpected() } }
            // Another process, after a kill.
            let again = verifiers(subject == .memory ? store : try place.open())
            guard case .busy = await attempt(again, now: 1009) else { throw Unexpected() }
            guard case .wiped = await attempt(again, now: 1010) else { throw Unexpected() }
            #expect(try await find(again)?.state == .wiped)
            #expect(try await store.records().map(\.sealed) == [[]])
            guard case .wiped = await attempt(again, now: 1030) else { throw Unexpected() }
            await keep(again, now: 1040)
            guard case .counted = await attempt(again, now: 1040) else { throw Unexpected() }
        }
    }

    @Test(
        "a right password resets the count, unless the verifier was replaced",
        arguments: StoreUnderTest.allCases)
    func clears(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let verifiers = verifiers(try place.open())
            await keep(verifiers)
            guard case .counted(let first) = await attempt(verifiers), case .counted = await attempt(verifiers) else {
                throw Unexpected()
            }
            #expect(try await clear(first, verifiers))
            #expect(try await find(verifiers)?.state == .kept(failures: 0))
            guard case .counted(let old) = await attempt(verifiers) else { throw Unexpected() }
            await keep(verifiers, "joe", "Changed1")
            #expect(try await !clear(old, verifiers))
            #expect(try await find(verifiers)?.state == .kept(failures: 0))
            guard case .counted(let gone) = await attempt(verifiers) else { throw Unexpected() }
            verifiers.forget(OfflineVerifierStoreTests.joe, now: 1000)
            try await wait { try await find(verifiers) == nil }
            #expect(try await !clear(gone, verifiers))
        }
    }

    private func clear(_ verifier: StoredVerifier, _ verifiers: OfflineVerifierStore) async throws -> Bool {
        try await OfflineVerifierStoreTests.value {
            verifiers.clear(verifier, OfflineVerifierStoreTests.joe, now: 1000) { .done($0) }
        }.get()
    }

    @Test(
        "the verifier ends by time, with the user's tokens, and when the server refuses",
        arguments: StoreUnderTest.allCases)
    func ends(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let verifiers = verifiers(store)
            await keep(verifiers, seconds: 100)
            #expect(try await find(verifiers, now: 1099) != nil)
            #expect(try await find(verifiers, now: 1100) == nil)
            #expect(try await store.ask(.clean(limit: 10), now: 1100) == .cleaned(1))
            await keep(verifiers)
            _ = try await store.ask(.revoke(.subject(application: nil, subject: "joe")))
            #expect(try await find(verifiers) == nil)
            // A wipe of what is not there leaves nothing behind: any client can make up names.
            verifiers.wipe(OfflineVerifierStoreTests.joe, now: 1000)
            await keep(verifiers, "ann")
            #expect(try await store.records().map(\.subject) == ["ann"])
            await keep(verifiers)
            verifiers.wipe(OfflineVerifierStoreTests.joe, now: 1000)
            try await wait { try await find(verifiers)?.state == .wiped }
        }
    }

    @Test("verifiers and their counts outlive a change of the store's key", arguments: StoreUnderTest.allCases)
    func changedKey(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { raw in
            let key = try #require(TokenDigestKey(Array(repeating: 1, count: 32)))
            let verifiers = OfflineVerifierStore(
                store: RekeyedTokenStore(raw, key: key), key: key, hasher: PasswordHasher())
            await keep(verifiers)
            _ = await attempt(verifiers)
            key.adopt(try #require(TokenDigestKey(keys: [2, 1].map { Array(repeating: $0, count: 32) })))
            guard case .counted(let verifier) = await attempt(verifiers) else { throw Unexpected() }
            #expect(verifiers.isRight("Remote1", verifier) && verifier.failures == 2)
            key.adopt(try #require(TokenDigestKey(Array(repeating: 2, count: 32))))
            let moved = try #require(try await find(verifiers))
            #expect(verifiers.isRight("Remote1", moved) && moved.failures == 2)
            #expect(try await raw.records().count == 1)
        }
    }

    @Test("the number of verifiers is limited; the oldest are removed", arguments: StoreUnderTest.allCases)
    func bounded(_ subject: StoreUnderTest) async throws {
        try await subject.withStore { store in
            let verifiers = verifiers(store)
            for number in 0..<40 { await keep(verifiers, "user \(number)", maximum: 10, now: 1000 + Int64(number)) }
            try await wait { try await store.records().count <= 12 }
            let left = try await store.records().map(\.subject)
            #expect(left.contains("user 39") && !left.contains("user 0"))
        }
    }

    private struct Unexpected: Error {}
}
