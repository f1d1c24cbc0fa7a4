#if SQLite
    /// Which file this is: all that were made anew from one another have one lineage, and count up.
    struct SQLiteOrigin: Equatable {
        var lineage: [UInt8]
        var generation: Int64

        /// Whether a file was made anew in the place of another one.
        func succeeds(_ other: SQLiteOrigin) -> Bool { lineage == other.lineage && generation > other.generation }
    }

    /// What a store's file is asked about itself.
    extension SQLiteLedger {
        /// Files up to this size are read through when others have written to them.
        private static let checkedBytes: Int64 = 16 * 1024 * 1024
        /// How far the places of deny entries go ahead in a file that was made anew: further than any that another process
        /// has given out in the lost one, and that nobody else knows.
        private static let gap: Int64 = 1_000_000

        /// What speaks against the file being what it was; nil for nothing.
        func finding(bytes: Int64) throws(StoreFailure) -> String? {
            try SQLiteLedger.asking { () throws(SQLiteFailure) in
                guard try connection.hasHeader() else { return "it is no database" }
                // What is cached says nothing of what is on the disk.
                try connection.run("PRAGMA shrink_memory")
                guard try connection.origin() == origin else { return "it is another store" }
                guard try connection.integer("SELECT max(seq) FROM sqlite_sequence") >= latest else {
                    return "it is an older one"
                }
                guard bytes <= SQLiteLedger.checkedBytes else { return nil }
                let check = try connection.text("PRAGMA quick_check(1)")
                return check == "ok" ? nil : check
            }
        }

        /// Takes up where a lost file has ended.
        func takeUp(after lost: SQLiteOrigin, latest: Int64) throws(StoreFailure) {
            try SQLiteLedger.asking { () throws(SQLiteFailure) in
                try connection.run("BEGIN IMMEDIATE")
                try connection.prepare("UPDATE origin SET lineage = ?, generation = ?").run([
                    .bytes(lost.lineage), .integer(lost.generation + 1),
                ])
                let copied = try connection.integer("SELECT max(seq) FROM sqlite_sequence")
                try connection.run("DELETE FROM sqlite_sequence WHERE name = 'denied'")
                try connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('denied', ?)").run([
                    .integer(max(copied, latest) + SQLiteLedger.gap)
                ])
                try connection.run("COMMIT")
            }
        }

        /// Appends those entries that the file does not have. Answers how many they were.
        func deny(missing entries: [DenyEntry]) throws(StoreFailure) -> Int {
            guard !entries.isEmpty else { return 0 }
            var held: [DenyEntry.Key: DenyEntry] = [:]
            var place: Int64 = 0
            while true {
                let page = try table.changes(after: place, limit: 10_000)
                for entry in page.map(\.entry) {
                    var merged = held[entry.key] ?? entry
                    merged.issuedBefore = max(merged.issuedBefore, entry.issuedBefore)
                    merged.until = max(merged.until, entry.until)
                    held[entry.key] = merged
                }
                guard let last = page.last?.sequence else { break }
                place = last
            }
            let missing = entries.filter { entry in
                guard let known = held[entry.key] else { return true }
                return known.issuedBefore < entry.issuedBefore || known.until < entry.until
            }
            guard !missing.isEmpty else { return 0 }
            let results = perform(missing.map { Task(operation: .deny($0), now: 0) })
            for result in results { _ = try result.get() }
            return missing.count
        }

        /// Copies all to another file, which is empty.
        func copy(to other: String) throws(StoreFailure) {
            try SQLiteLedger.asking { () throws(SQLiteFailure) in
                try connection.prepare("VACUUM INTO ?").run([.text(other)])
            }
        }

        /// What is in the log is not written back at the end: the file is not ours any more.
        func leaveLog() { connection.leaveLog() }

        /// Where the file really is.
        var path: String { connection.path }

        private static func asking<Value>(
            _ body: () throws(SQLiteFailure) -> Value
        ) throws(StoreFailure) -> Value {
            do throws(SQLiteFailure) { return try body() } catch { throw error.storeFailure }
        }
    }

    extension SQLiteConnection {
        /// Which file it is.
        func origin() throws(SQLiteFailure) -> SQLiteOrigin {
            let rows = try prepare("SELECT lineage, generation FROM origin").rows([]) { row in
                SQLiteOrigin(lineage: row.bytes(0), generation: row.integer(1))
            }
            guard rows.count == 1 else { throw .unknownKind }
            return rows[0]
        }

        /// Whether the file on the disk begins as databases do.
        func hasHeader() throws(SQLiteFailure) -> Bool {
            try start(SQLiteConnection.magic.count) == SQLiteConnection.magic
        }

        private static let magic = Array("SQLite format 3\0".utf8)
    }
#endif
