#if SQLite
    /// Identity of a file: files recreated from one another share the lineage, with increasing generations.
    struct SQLiteOrigin: Equatable {
        var lineage: [UInt8]
        var generation: Int64

        /// Whether a file was recreated to replace another one.
        func succeeds(_ other: SQLiteOrigin) -> Bool { lineage == other.lineage && generation > other.generation }
    }

    /// Operations on the store file itself.
    extension SQLiteLedger {
        /// Files up to this size are checked completely after others have written to them.
        private static let checkedBytes: Int64 = 16 * 1024 * 1024
        /// Gap in the sequence of deny entries of a recreated file. It exceeds any entries that another process may
        /// have added to the lost file unnoticed.
        private static let gap: Int64 = 1_000_000

        /// A problem found with the file; nil if it is intact.
        func finding(bytes: Int64) throws(StoreFailure) -> String? {
            try SQLiteLedger.asking { () throws(SQLiteFailure) in
                guard try connection.hasHeader() else { return "it is no database" }
                // The cache does not reflect what is on disk.
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

        /// Continues the sequence of a lost file.
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

        /// Appends the entries that the file lacks. Returns their number.
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

        /// Copies everything to another, empty file.
        func copy(to other: String) throws(StoreFailure) {
            try SQLiteLedger.asking { () throws(SQLiteFailure) in
                try connection.prepare("VACUUM INTO ?").run([.text(other)])
            }
        }

        /// Skips the checkpoint at close: the file belongs to another process now.
        func leaveLog() { connection.leaveLog() }

        /// The resolved path of the file.
        var path: String { connection.path }

        private static func asking<Value>(
            _ body: () throws(SQLiteFailure) -> Value
        ) throws(StoreFailure) -> Value {
            do throws(SQLiteFailure) { return try body() } catch { throw error.storeFailure }
        }
    }

    extension SQLiteConnection {
        /// Reads the file's identity.
        func origin() throws(SQLiteFailure) -> SQLiteOrigin {
            let rows = try prepare("SELECT lineage, generation FROM origin").rows([]) { row in
                SQLiteOrigin(lineage: row.bytes(0), generation: row.integer(1))
            }
            guard rows.count == 1 else { throw .unknownKind }
            return rows[0]
        }

        /// Whether the file on disk starts with the SQLite header.
        func hasHeader() throws(SQLiteFailure) -> Bool {
            try start(SQLiteConnection.magic.count) == SQLiteConnection.magic
        }

        private static let magic = Array("SQLite format 3\0".utf8)
    }
#endif
