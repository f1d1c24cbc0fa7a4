#if SQLite
    import CSQLite

    /// The files of a store: the database, its write-ahead log and the index of the log.
    struct SQLiteFiles: Equatable {
        /// File status of one of them.
        struct Status: Equatable {
            var device: UInt64
            var inode: UInt64
            var bytes: Int64
            /// Nanoseconds since 1970 of the last change.
            var changed: Int64

            /// Status of a path; nil if missing or unknown.
            init?(_ path: String) {
                var status = csqlite_status()
                // SAFETY: the path is a null-terminated copy, and `status` is local.
                guard unsafe csqlite_look(path, &status) == 0 else { return nil }
                (device, inode) = (status.device, status.inode)
                (bytes, changed) = (status.bytes, status.changed)
            }

            func isSameFile(as other: Status?) -> Bool { device == other?.device && inode == other?.inode }
        }

        var database: Status?
        var log: Status?
        var index: Status?

        /// Current status of the files.
        init(of path: String) {
            database = Status(path)
            log = Status(path + SQLiteFiles.logSuffix)
            index = Status(path + SQLiteFiles.indexSuffix)
        }

        static let logSuffix = "-wal"
        static let indexSuffix = "-shm"
        /// Suffixes of all files that a database may have.
        static let suffixes = ["", logSuffix, indexSuffix, "-journal"]
    }

    /// Error of a file operation.
    struct SQLiteFileFailure: Error {
        var text: String
    }

    /// File operations outside SQLite.
    enum SQLiteFileStep {
        private static func check(_ code: Int32, _ step: String) throws(SQLiteFileFailure) {
            guard code != 0 else { return }
            // SAFETY: the C library's text is copied at once; it is per thread.
            throw SQLiteFileFailure(text: "\(step): \(unsafe String(cString: csqlite_error_text(code)))")
        }

        // SAFETY, of what follows: paths are null-terminated copies for the duration of the call.

        static func rename(_ from: String, to: String) throws(SQLiteFileFailure) {
            try check(unsafe csqlite_rename(from, to), "\(from) cannot be renamed")
        }

        /// Removes the file if it exists.
        static func remove(_ path: String) throws(SQLiteFileFailure) {
            try check(unsafe csqlite_remove(path), "\(path) cannot be removed")
        }

        /// Creates an empty file, readable by the owner only.
        static func create(_ path: String) throws(SQLiteFileFailure) {
            try check(unsafe csqlite_create(path), "\(path) cannot be made")
        }

        /// Syncs the directory of a file, which makes its names durable.
        static func syncDirectory(of path: String) throws(SQLiteFileFailure) {
            let directory =
                path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
            try check(
                unsafe csqlite_sync_directory(directory.isEmpty ? "/" : directory), "\(directory) cannot be written")
        }

        /// Runs the body under an exclusive lock between processes. Throws at once if another process holds it.
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
