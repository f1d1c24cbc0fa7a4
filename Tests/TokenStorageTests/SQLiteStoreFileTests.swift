#if SQLite
    import Dispatch
    import Foundation
    import Synchronization
    import TestSupport
    import Testing
    import TokenStorage

    /// What becomes of a store whose file is removed, replaced or overwritten while it is in use.
    @Suite struct SQLiteStoreFileTests {
        /// A process with a store, what it denies by its memory, and what it has said of the file.
        private final class Process: Sendable {
            let store: SQLiteTokenStore
            private let known: Shared
            var events: [StoreFileEvent] { known.events.withLock { $0 } }

            private final class Shared: Sendable {
                let denied = Mutex<[DenyEntry]>([])
                let events = Mutex<[StoreFileEvent]>([])
            }

            init(_ path: String) throws {
                let (shared, queue) = (Shared(), DispatchQueue(label: "store"))
                known = shared
                store = try SQLiteTokenStore(
                    path: path, patience: 5000, known: { shared.denied.withLock { $0 } },
                    report: { event in shared.events.withLock { $0.append(event) } },
                    executor: { queue.async(execute: $0) })
            }

            /// As `RevocationFollower` does: what is denied is known here before it is written.
            func deny(_ entry: DenyEntry, now: Int64 = 1000) async throws {
                known.denied.withLock { $0.append(entry) }
                _ = try await store.ask(.deny(entry), now: now)
            }
        }

        private func remove(_ path: String, _ suffixes: [String] = ["", "-wal", "-shm"]) throws {
            for suffix in suffixes { try FileManager.default.removeItem(atPath: path + suffix) }
        }

        /// Overwrites a file in its place.
        private func overwrite(_ path: String, _ contents: Data) throws {
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: contents)
            try file.close()
        }

        private func names(beside path: String) throws -> [String] {
            let url = URL(filePath: path)
            return try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
                .filter { $0.hasPrefix(url.lastPathComponent + ".lost-") }
        }

        @Test(
            "a file that loses its name is made anew with all that was in it",
            arguments: [["", "-wal", "-shm"], [""], ["-wal"], ["-shm"], ["-wal", "-shm"]])
        func removed(_ suffixes: [String]) async throws {
            try await StoreUnderTest.sqlite.with { place in
                do {
                    let process = try Process(place.path)
                    _ = try await process.store.ask(.insert(record("a")))
                    try await process.deny(.token("x", until: 9000))
                    _ = try await process.store.ask(.remember(key: "k", until: 9000))
                    try remove(place.path, suffixes)
                    // Answered with what is on the disk under the name.
                    try await process.deny(.subject("joe", issuedBefore: 900, until: 9000))
                    _ = try await process.store.ask(.insert(record("b")))
                    #expect(process.events.count == 2 && process.events.last == .restored(.complete))
                    #expect(process.store.state == .ok)
                    #expect(try await process.store.records().count == 2)
                    let mode = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions]
                    #expect(mode as? Int == 0o600)
                }
                let next = try Process(place.path)
                #expect(Set(try await next.store.records().map(\.id)) == ["a", "b"])
                // What was being written when the file was made anew may be there twice.
                #expect(Set(try await next.store.denied().map(\.name)) == ["x", "joe"])
                #expect(try await next.store.ask(.remember(key: "k", until: 9000)) == .fresh(false))
            }
        }

        @Test("a removal between two operations is noticed without a write, too")
        func removedBeforeARead() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let process = try Process(place.path)
                try await process.deny(.token("x", until: 9000))
                try remove(place.path)
                #expect(try await process.store.denied().map(\.name) == ["x"])
                #expect(process.events == [.lost("removed"), .restored(.complete)])
                #expect(FileManager.default.fileExists(atPath: place.path))
            }
        }

        @Test("a file that is overwritten is made anew with the deny list, and kept", arguments: [0, 7, 100_000])
        func overwritten(_ length: Int) async throws {
            try await StoreUnderTest.sqlite.with { place in
                do {
                    let process = try Process(place.path)
                    _ = try await process.store.ask(.insert(record("a")))
                    try await process.deny(.token("x", until: 9000))
                    let contents = Data(String(repeating: "letter ", count: length / 7).utf8)
                    try overwrite(place.path, contents)
                    try await process.deny(.subject("joe", issuedBefore: 900, until: 9000))
                    #expect(process.events.last == .restored(.denyList))
                    let kept = try #require(try names(beside: place.path).first { $0.split(separator: "-").count == 2 })
                    let url = URL(filePath: place.path).deletingLastPathComponent().appending(path: kept)
                    #expect(try Data(contentsOf: url) == contents)
                }
                let next = try Process(place.path)
                #expect(Set(try await next.store.denied().map(\.name)) == ["x", "joe"])
                #expect(try await next.store.records().isEmpty)
            }
        }

        @Test("another file in the place is kept under another name", arguments: [true, false])
        func replaced(_ isStore: Bool) async throws {
            try await StoreUnderTest.sqlite.with { place in
                let other = place.path + ".other"
                if isStore {
                    _ = try await Process(other).store.ask(.insert(record("stranger")))
                } else {
                    try Data("This is a letter.".utf8).write(to: URL(filePath: other))
                }
                let process = try Process(place.path)
                _ = try await process.store.ask(.insert(record("a")))
                try await process.deny(.token("x", until: 9000))
                try remove(place.path, [""])
                try FileManager.default.moveItem(atPath: other, toPath: place.path)
                #expect(try await process.store.records().map(\.id) == ["a"])
                #expect(process.events == [.lost("replaced by another file"), .restored(.complete)])
                #expect(try await process.store.denied().map(\.name) == ["x"])
                #expect(try !names(beside: place.path).isEmpty)
            }
        }

        @Test("an older copy in the place does not bring back what was revoked since")
        func olderCopy() async throws {
            try await StoreUnderTest.sqlite.with { place in
                do {
                    let process = try Process(place.path)
                    try await process.deny(.token("w", until: 9000))
                    _ = try await process.store.ask(.insert(record("a")))
                }
                let copy = try Data(contentsOf: URL(filePath: place.path))
                let process = try Process(place.path)
                _ = try await process.store.ask(.revoke(.id("a")))
                try await process.deny(.token("x", until: 9000))
                #expect(try await process.store.denied().map(\.name) == ["w", "token of a", "x"])
                try overwrite(place.path, copy)
                try await process.deny(.token("y", until: 9000))
                #expect(try await process.store.records().isEmpty)
                let next = try Process(place.path)
                #expect(try await next.store.records().isEmpty)
                #expect(Set(try await next.store.denied().map(\.name)).isSuperset(of: ["x", "y"]))
            }
        }

        @Test("of two processes both go on with one file, and tell each other what they deny")
        func twoProcesses() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let processes = [try Process(place.path), try Process(place.path)]
                try await processes[0].deny(.token("x", until: 9000))
                guard case .changes(_, let before) = try await processes[1].store.ask(.changes(after: 0, limit: 9))
                else { return }
                try remove(place.path)
                try await processes[0].deny(.token("y", until: 9000))
                try await processes[1].deny(.token("z", until: 9000))
                #expect(processes[0].events.last == .restored(.complete))
                #expect(processes[1].events.last == .restored(.others))
                for process in processes {
                    guard
                        case .changes(let changes, _) = try await process.store.ask(.changes(after: before, limit: 9))
                    else { return }
                    #expect(Set(changes.map(\.entry.name)) == ["y", "z"])
                }
                _ = try await processes[0].store.ask(.insert(record("a")))
                #expect(try await processes[1].store.records().map(\.id) == ["a"])
            }
        }

        @Test("nothing is answered while the file cannot be made anew, and all of it once it is back")
        func impossible() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let directory = URL(filePath: place.path).deletingLastPathComponent()
                let process = try Process(place.path)
                _ = try await process.store.ask(.insert(record("a")))
                let away = directory.path + ".away"
                try FileManager.default.moveItem(atPath: directory.path, toPath: away)
                for now in [1000, 1000, 1001] as [Int64] {
                    await #expect(throws: StoreFailure.unavailable) {
                        try await process.deny(.token("x", until: 9000), now: now)
                    }
                    #expect(process.store.state == .unavailable(since: 1000))
                }
                #expect(process.events.count == 2 && process.events.first == .lost("removed"))
                await #expect(throws: StoreFailure.unavailable) { try await process.store.ask(.find(.id("a"))) }
                try FileManager.default.moveItem(atPath: away, toPath: directory.path)
                #expect(try await process.store.ask(.find(.id("a"))) == .record(record("a")))
                #expect(process.events.last == .restored(.returned))
                #expect(process.store.state == .ok)
            }
        }

        @Test("a file that others write to is one that has its entries still")
        func amended() async throws {
            try await StoreUnderTest.sqlite.with { place in
                let process = try Process(place.path)
                try await process.deny(.token("x", until: 9000))
                try await process.deny(.client("b", issuedBefore: 900, until: 9000))
                // Another process: its writing is none of ours, and nothing is lost.
                let other = try Process(place.path)
                for i in 0..<1200 { _ = try await other.store.ask(.insert(record("id \(i)", subject: "user \(i)"))) }
                #expect(try await process.store.denied().count == 2)
                #expect(process.events.isEmpty && other.events.isEmpty)
                try runSQL(place.path, "DELETE FROM denied WHERE name = 'x'; PRAGMA wal_checkpoint(TRUNCATE)")
                #expect(Set(try await process.store.denied().map(\.name)) == ["x", "b"])
                #expect(process.events == [.amended(entries: 1)])
            }
        }
    }
#endif
