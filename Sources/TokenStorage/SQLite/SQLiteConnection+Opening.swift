#if SQLite
    extension SQLiteConnection {
        /// Files up to this size are read through at the start.
        private static let checkedBytes: Int64 = 256 * 1024 * 1024
        /// Milliseconds between two tries for a lock.
        private static let pause: Int32 = 10

        /// A connection to a token store: sound, ours, and with the schema of now. A file that is missing or empty
        /// becomes one; any other that is none is left as it is.
        /// - Parameter patience: milliseconds to wait for a lock of another process.
        static func openStore(_ path: String, patience: Int32) throws(SQLiteOpenError) -> SQLiteConnection {
            let connection: SQLiteConnection
            let refusal: SQLiteOpenError?
            do throws(SQLiteFailure) {
                connection = try SQLiteConnection(path: path)
                connection.waitForLocks(milliseconds: patience)
                // SQL in the schema of a file that somebody has prepared must not run with our rights.
                try connection.run("PRAGMA trusted_schema = OFF")
                refusal = try connection.refusal()
                if refusal == nil { try connection.settle(patience: patience) }
            } catch {
                throw SQLiteOpenError(error)
            }
            if let refusal { throw refusal }
            return connection
        }

        /// What speaks against using the file; nothing is written.
        private func refusal() throws(SQLiteFailure) -> SQLiteOpenError? {
            // At one moment: another process may be making the file a store, which is nobody else's file half way.
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

        /// Makes the file durable and brings its schema up to now.
        private func settle(patience: Int32) throws(SQLiteFailure) {
            let mode = try writeAheadLog(patience: patience)
            guard mode == "wal" else { throw .withoutLog(mode) }
            // FULL: the log is on the disk before a transaction counts, whatever becomes of process and power.
            try run("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY")
            guard try integer("PRAGMA user_version") < SQLiteSchema.version else { return }
            try run("BEGIN IMMEDIATE")
            // Another process may have done it while this one waited for the lock.
            let version = try integer("PRAGMA user_version")
            for step in SQLiteSchema.steps.dropFirst(Int(version)) { try run(step) }
            try run("PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try run("PRAGMA user_version = \(SQLiteSchema.version)")
            try run("COMMIT")
        }

        /// Changes to it. That wants the file for itself, and where another is opening it as well SQLite may say so at once
        /// instead of waiting: so the waiting is done here, and for no longer than for any other lock.
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
