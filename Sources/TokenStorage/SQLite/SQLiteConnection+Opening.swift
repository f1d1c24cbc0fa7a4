#if SQLite
    extension SQLiteConnection {
        /// Files up to this size are checked completely at start.
        private static let checkedBytes: Int64 = 256 * 1024 * 1024
        /// Milliseconds between two attempts to get a lock.
        private static let pause: Int32 = 10

        /// A connection to a valid token store with the current schema. A missing or empty file is initialised; any
        /// other file that is not a token store is left unchanged.
        /// - Parameter patience: milliseconds to wait for a lock of another process.
        static func openStore(_ path: String, patience: Int32) throws(SQLiteOpenError) -> SQLiteConnection {
            let connection: SQLiteConnection
            let refusal: SQLiteOpenError?
            do throws(SQLiteFailure) {
                connection = try SQLiteConnection(path: path)
                connection.waitForLocks(milliseconds: patience)
                // SQL in the schema of a prepared file must not run with this process's rights.
                try connection.run("PRAGMA trusted_schema = OFF")
                refusal = try connection.refusal()
                if refusal == nil { try connection.settle(patience: patience) }
            } catch {
                throw SQLiteOpenError(error)
            }
            if let refusal { throw refusal }
            return connection
        }

        /// Why the file cannot be used; nothing is written.
        private func refusal() throws(SQLiteFailure) -> SQLiteOpenError? {
            // In one transaction: another process may be initialising the file, which must not look like a foreign
            // file.
            try run("BEGIN")
            let application = try integer("PRAGMA application_id")
            let version = try integer("PRAGMA user_version")
            let tables = try integer("SELECT count(*) FROM sqlite_schema")
            try run("COMMIT")
            if application != SQLiteSchema.applicationID {
                return application == 0 && version == 0 && tables == 0 ? nil : .foreign
            }
            if version > SQLiteSchema.version { return .newer(version: version) }
            let size = try integer("PRAGMA page_count") * integer("PRAGMA page_size")
            guard size <= SQLiteConnection.checkedBytes else { return nil }
            let finding = try text("PRAGMA quick_check(1)")
            return finding == "ok" ? nil : .damaged(finding)
        }

        /// Makes the file durable and migrates its schema.
        private func settle(patience: Int32) throws(SQLiteFailure) {
            let mode = try writeAheadLog(patience: patience)
            guard mode == "wal" else { throw .withoutLog(mode) }
            // FULL: the log is synced before a transaction commits, so that it survives a crash or power loss.
            try run("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY")
            guard try integer("PRAGMA user_version") < SQLiteSchema.version else { return }
            try run("BEGIN IMMEDIATE")
            // Another process may have migrated it while this one waited for the lock.
            let version = try integer("PRAGMA user_version")
            for step in SQLiteSchema.steps.dropFirst(Int(version)) { try run(step) }
            try run("PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try run("PRAGMA user_version = \(SQLiteSchema.version)")
            try run("COMMIT")
        }

        /// Switches to the write-ahead log. This needs exclusive access, and SQLite may fail immediately while another
        /// process opens the file. The wait is therefore done here, bounded like that for any other lock.
        private func writeAheadLog(patience: Int32) throws(SQLiteFailure) -> String {
            waitForLocks(milliseconds: 0)
            defer { waitForLocks(milliseconds: patience) }
            var left = patience
            while true {
                do throws(SQLiteFailure) {
                    return try text("PRAGMA journal_mode = WAL")
                } catch {
                    guard error.isBusy, left > 0 else { throw error }
                    left -= SQLiteConnection.sleep(milliseconds: SQLiteConnection.pause)
                }
            }
        }

        func integer(_ text: String) throws(SQLiteFailure) -> Int64 {
            try prepare(text).rows([]) { row in row.integer(0) }.first ?? 0
        }

        func text(_ text: String) throws(SQLiteFailure) -> String {
            try prepare(text).rows([]) { row in row.text(0) }.first ?? ""
        }
    }
#endif
