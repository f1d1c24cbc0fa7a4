#if SQLite
    import CSQLite

    /// The files of a store: the database, and beside it its write-ahead log and the index of that.
    struct SQLiteFiles: Equatable {
        /// What the file system says of one of them.
        struct Status: Equatable {
            var device: UInt64
            var inode: UInt64
            var bytes: Int64
            /// Nanoseconds since 1970 of the last change.
            var changed: Int64

            /// What is at a path; nil where nothing is, or it cannot be told.
            init?(_ path: String) {
                var status = csqlite_status()
                // SAFETY: the path is a null-terminated copy, and `status` is this call's own.
                guard unsafe csqlite_look(path, &status) == 0 else { return nil }
                (device, inode) = (status.device, status.inode)
                (bytes, changed) = (status.bytes, status.changed)
            }

            func isSameFile(as other: Status?) -> Bool { device == other?.device && inode == other?.inode }
        }

        var database: Status?
        var log: Status?
        var index: Status?

        /// What is at the paths now.
        init(of path: String) {
            database = Status(path)
            log = Status(path + SQLiteFiles.logSuffix)
            index = Status(path + SQLiteFiles.indexSuffix)
        }

        static let logSuffix = "-wal"
        static let indexSuffix = "-shm"
        /// All files that a database may have.
        static let suffixes = ["", logSuffix, indexSuffix, "-journal"]
    }

    /// Why a step with a file did not work.
    struct SQLiteFileFailure: Error {
        var text: String
    }

    /// Steps with files that SQLite has no part in.
    enum SQLiteFileStep {
        private static func check(_ code: Int32, _ step: String) throws(SQLiteFileFailure) {
            guard code != 0 else { return }
            // SAFETY: the text of the C library is copied at once; each thread has its own.
            throw SQLiteFileFailure(text: "\(step): \(unsafe String(cString: csqlite_error_text(code)))")
        }

        // SAFETY, of what follows: paths are null-terminated copies for the time of the call.

        static func rename(_ from: String, to: String) throws(SQLiteFileFailure) {
            try check(unsafe csqlite_rename(from, to), "\(from) cannot be renamed")
        }

        /// Removes what is there, if anything is.
        static func remove(_ path: String) throws(SQLiteFileFailure) {
            try check(unsafe csqlite_remove(path), "\(path) cannot be removed")
        }

        /// A new empty file that nobody else may read.
        static func create(_ path: String) throws(SQLiteFileFailure) {
            try check(unsafe csqlite_create(path), "\(path) cannot be made")
        }

        /// Makes the names in the directory of a file durable.
        static func syncDirectory(of path: String) throws(SQLiteFileFailure) {
            let directory =
                path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
            try check(
                unsafe csqlite_sync_directory(directory.isEmpty ? "/" : directory), "\(directory) cannot be written")
        }

        /// Does something that only one process may do at a time. Throws at once where another one does it.
        static func locked<Value>(
            _ path: String, _ body: () throws(SQLiteFileFailure) -> Value
        ) throws(SQLiteFileFailure) -> Value {
            let descriptor = unsafe csqlite_lock(path)
            try check(descriptor < 0 ? -descriptor : 0, "\(path) cannot be locked")
            defer { csqlite_unlock(descriptor) }
            return try body()
        }
    }
#endif
