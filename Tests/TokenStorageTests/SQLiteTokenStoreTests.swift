#if SQLite
    import CSQLite
    import Dispatch
    import Foundation
    import TestSupport
    import Testing
    import TokenStorage

    /// What only a file can have: foreign contents, damage, locks of other processes.
    @Suite struct SQLiteTokenStoreTests {
        private func open(_ path: String, patience: Int32 = 5000) throws(SQLiteOpenError) -> SQLiteTokenStore {
            let queue = DispatchQueue(label: "store")
            return try SQLiteTokenStore(path: path, patience: patience) { queue.async(execute: $0) }
        }

        private func refusal(_ path: String) -> SQLiteOpenError? {
            do throws(SQLiteOpenError) {
                _ = try open(path)
                return nil
            } catch {
                return error
            }
        }

        @Test func filesThatAreNoTokenStoreAreLeftAlone() async throws {
            try await StoreUnderTest.sqlite.with { place in
                try Data("This is a letter, and it is longer than a header. ".utf8 + Data(count: 4096)).write(
                    to: URL(filePath: place.path))
                #expect(refusal(place.path) == .notADatabase)
                try FileManager.default.removeItem(atPath: place.path)
                try runSQL(place.path, "CREATE TABLE bookmarks (url TEXT)")
                let before = try Data(contentsOf: URL(filePath: place.path))
                #expect(refusal(place.path) == .foreign)
                #expect(try Data(contentsOf: URL(filePath: place.path)) == before)
                #expect(refusal("/nowhere/tokens.sqlite")?.text.contains("unable to open") == true)
            }
        }

        @Test func anEntryOfAnUnknownKindIsSkipped() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let store = try open(place.path)
                _ = try await store.ask(.deny(.token("t", until: 2000)))
                let row = "INSERT INTO denied (kind, name, subject, issued_before, until) VALUES"
                try runSQL(place.path, "\(row) ('family2', 'f', '', 0, 2000), ('unknown', 'f', '', 0, 2000)")
                try runSQL(place.path, "\(row) ('suspended', 'user:f', 'joe', 5000, 2000)")
                let changes = [
                    DenyEntry.token("t", until: 2000), .unknown("family2"), .unknown("unknown"),
                    .unknown("suspended", about: "user:f", changedAt: 5000, until: 2000),
                ].enumerated().map { DenyChange(sequence: Int64($0) + 1, entry: $1) }
                #expect(try await store.ask(.changes(after: 0, limit: 9)) == .changes(changes, latest: 4))
            }
        }

        @Test func aNewerSchemaIsRefused() async throws {
            try await StoreUnderTest.sqlite.with { place in
                _ = try open(place.path)
                try runSQL(place.path, "PRAGMA user_version = 9")
                #expect(refusal(place.path) == .newer(version: 9))
                #expect(refusal(place.path)?.text.contains("version 9") == true)
            }
        }

        @Test func aFileBeforeItsFirstSchemaIsBroughtUp() async throws {
            try await StoreUnderTest.sqlite.with { place in
                try Data().write(to: URL(filePath: place.path))
                _ = try await open(place.path).ask(.insert(record("a")))
                #expect(try await open(place.path).records() == [record("a")])
            }
        }

        @Test("a file of version 2, which notes no uses, is brought up with all that is in it (OMS-09)")
        func aFileOfTheSecondVersionIsBroughtUp() async throws {
            try await StoreUnderTest.sqlite.with { place in
                _ = try await open(place.path).ask(.insert(record("a")))
                try runSQL(
                    place.path,
                    "DROP TABLE origin; ALTER TABLE token DROP COLUMN last_used_at; PRAGMA user_version = 2")
                let store = try open(place.path)
                #expect(try await store.records() == [record("a")])
                #expect(try await store.ask(.touch([TokenUse(id: "a", usedAt: 1100)])) == .touched(1))
                #expect(try await store.records().map(\.lastUsedAt) == [1100])
            }
        }

        /// What an earlier version has remembered still ends its family, and has no grace.
        @Test func aFileOfTheFirstVersionIsBroughtUp() async throws {
            try await StoreUnderTest.sqlite.with { place in
                do {
                    let store = try open(place.path)
                    _ = try await store.ask(.insert(record("a")))
                    _ = try await store.ask(
                        .rotate(
                            refresh: digest("refresh a"), application: "shop",
                            proposed: successor(of: record("a"), "b"),
                            reuse: .detected(graceSeconds: 1000)))
                }
                try runSQL(
                    place.path,
                    """
                    ALTER TABLE used_refresh DROP COLUMN successor; ALTER TABLE used_refresh DROP COLUMN grace_until;
                    ALTER TABLE token DROP COLUMN last_used_at; DROP TABLE origin; PRAGMA user_version = 1
                    """)
                let store = try open(place.path)
                #expect(try await store.ask(.successor(of: digest("refresh a"))) == .record(nil))
                let again = StoreOperation.rotate(
                    refresh: digest("refresh a"), application: "shop", proposed: successor(of: record("a"), "c"),
                    reuse: .detected(graceSeconds: 1000))
                #expect(try await store.ask(again) == .reused(family: "a"))
                #expect(try await store.records().isEmpty)
            }
        }

        @Test func damageIsFoundAtTheStart() async throws {
            try await StoreUnderTest.sqlite.with { place in
                do {
                    let store = try open(place.path)
                    for i in 0..<200 { _ = try await store.ask(.insert(record("id \(i)", subject: "user \(i)"))) }
                }
                try runSQL(place.path, "PRAGMA wal_checkpoint(TRUNCATE)")
                let file = try FileHandle(forUpdating: URL(filePath: place.path))
                let size = try file.seekToEnd()
                for page in stride(from: UInt64(4096 * 3), to: size, by: 4096) {
                    try file.seek(toOffset: page)
                    try file.write(contentsOf: Data(repeating: 0xA5, count: 512))
                }
                try file.close()
                guard case .damaged(let finding) = refusal(place.path) else {
                    Issue.record("\(String(describing: refusal(place.path)))")
                    return
                }
                #expect(!finding.isEmpty)
            }
        }

        @Test func aLockThatIsHeldIsWaitedForAndThenReported() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let store = try open(place.path, patience: 20)
                var other: OpaquePointer?
                // SAFETY: the connection is this test's own and closed at its end.
                defer { unsafe sqlite3_close(other) }
                try #require(unsafe sqlite3_open(place.path, &other) == SQLITE_OK)
                try #require(unsafe sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
                await #expect(throws: StoreFailure.timedOut) { try await store.ask(.insert(record("a"))) }
                #expect(store.state == .unavailable(since: 1000))
                // Who only reads is not in the way of a writer.
                #expect(try await store.ask(.find(.id("a"))) == .record(nil))
                #expect(store.state == .ok)
                try #require(unsafe sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
                #expect(try await store.ask(.insert(record("a"))) == .record(record("a")))
            }
        }

        /// Again and again, since what one of them is doing while another looks lasts for microseconds.
        @Test func manyOpenANewFileAtOnce() async throws {
            for _ in 0..<20 {
                try await StoreUnderTest.sqlite.with { place in
                    let stores = try await withThrowingTaskGroup(of: SQLiteTokenStore.self) { group in
                        for _ in 0..<8 { group.addTask { try open(place.path) } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    _ = try await stores[0].ask(.insert(record("a")))
                    for store in stores { #expect(try await store.records() == [record("a")]) }
                }
            }
        }

        @Test func tokensAndTheirDigestsAreAllThatIsWritten() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let key = try #require(TokenDigestKey(Array(repeating: 3, count: 32)))
                let token = "an-access-token-nobody-should-read"
                var kept = record("a")
                kept.accessDigest = key.digest(token)
                kept.sealed = key.seal(Array(token.utf8), id: "a")
                let store = try open(place.path)
                _ = try await store.ask(.insert(kept))
                for suffix in ["", "-wal"] {
                    let bytes = try Data(contentsOf: URL(filePath: place.path + suffix))
                    #expect(bytes.range(of: Data(token.utf8)) == nil)
                }
            }
        }
    }

    /// Runs statements as another program would.
    func runSQL(_ path: String, _ text: String) throws {
        var database: OpaquePointer?
        // SAFETY: the connection is this call's own and closed at its end.
        defer { unsafe sqlite3_close(database) }
        try #require(unsafe sqlite3_open(path, &database) == SQLITE_OK)
        try #require(unsafe sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK)
    }
#endif
