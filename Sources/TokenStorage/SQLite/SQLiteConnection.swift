#if SQLite
    import CSQLite

    /// One connection to a database file. Not thread-safe; its owner serialises access.
    @safe
    final class SQLiteConnection {
        // SAFETY: the pointer is private, comes from sqlite3_open_v2 and is closed by `deinit` alone. Statements retain
        // the connection, so all are finalised first.
        private let database: OpaquePointer

        /// Opens the file, creating it if missing.
        init(path: String) throws(SQLiteFailure) {
            var opened: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            // SAFETY: `opened` is local; sqlite copies the path.
            let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
            guard code == SQLITE_OK, let handle = unsafe opened else {
                // SAFETY: a partially opened connection is closed; null is allowed.
                let failure = unsafe SQLiteFailure(code: code, text: SQLiteConnection.text(opened))
                unsafe sqlite3_close(opened)
                throw failure
            }
            unsafe database = handle
        }

        deinit {
            // SAFETY: no references to the connection and no statements of it remain.
            unsafe sqlite3_close(database)
        }

        /// Sets how long to wait for a lock that another process holds.
        func waitForLocks(milliseconds: Int32) {
            // SAFETY: the connection is open while this object lives.
            unsafe sqlite3_busy_timeout(database, milliseconds)
        }

        /// Sleeps, and returns the time slept: SQLite built without `usleep` sleeps whole seconds.
        static func sleep(milliseconds: Int32) -> Int32 { sqlite3_sleep(milliseconds) }

        /// Runs statements without results.
        func run(_ text: String) throws(SQLiteFailure) {
            // SAFETY: the connection is open while this object lives; sqlite copies what it keeps of the text.
            let code = unsafe sqlite3_exec(database, text, nil, nil, nil)
            guard code == SQLITE_OK else { throw failure(code) }
        }

        /// Whether a transaction is open. Some failures end it automatically.
        var isInTransaction: Bool {
            // SAFETY: the connection is open while this object lives.
            unsafe sqlite3_get_autocommit(database) == 0
        }

        /// Number of rows that the last statement inserted, changed or removed.
        var changedRows: Int {
            // SAFETY: the connection is open while this object lives.
            Int(unsafe sqlite3_changes(database))
        }

        /// Row id of the last inserted row.
        var lastRow: Int64 {
            // SAFETY: the connection is open while this object lives.
            unsafe sqlite3_last_insert_rowid(database)
        }

        /// Path of the file, with symbolic links resolved.
        var path: String {
            // SAFETY: the connection is open while this object lives; the text is copied at once.
            guard let name = unsafe sqlite3_db_filename(database, "main") else { return "" }
            return unsafe String(cString: name)
        }

        /// The first bytes of the file on disk; fewer if it is shorter.
        func start(_ count: Int) throws(SQLiteFailure) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            // SAFETY: the connection is open while this object lives; the buffer has room for that many bytes.
            let code = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe csqlite_read_start(database, buffer.baseAddress, Int32(count))
            }
            if code == csqlite_short_read { return [] }
            guard code == SQLITE_OK else { throw failure(code) }
            return bytes
        }

        /// Skips the checkpoint when the connection is closed.
        func leaveLog() {
            // SAFETY: the connection is open while this object lives.
            _ = unsafe csqlite_leave_log(database)
        }

        /// A statement for repeated use.
        func prepare(_ text: String) throws(SQLiteFailure) -> Statement {
            var made: OpaquePointer?
            // SAFETY: `made` is local; the text is read before the call returns.
            let code = unsafe sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
            guard code == SQLITE_OK, let pointer = unsafe made else { throw failure(code) }
            return unsafe Statement(pointer, of: self)
        }

        /// The error of the last call.
        func failure(_ code: Int32) -> SQLiteFailure {
            unsafe SQLiteFailure(code: code, text: SQLiteConnection.text(database))
        }

        private static func text(_ database: OpaquePointer?) -> String {
            // SAFETY: sqlite returns its own text, also for a null connection; it is copied at once.
            guard let message = unsafe sqlite3_errmsg(database) else { return "out of memory" }
            return unsafe String(cString: message)
        }
    }

    /// An error of the library.
    struct SQLiteFailure: Error {
        /// An extended result code.
        var code: Int32
        var text: String

        /// A row has a value that no version of this program writes.
        static let unknownKind = SQLiteFailure(code: SQLITE_CORRUPT, text: "a row of an unknown kind")

        /// The file system or the library's build does not support a write-ahead log; another mode stays active.
        static func withoutLog(_ mode: String) -> SQLiteFailure {
            SQLiteFailure(code: SQLITE_CANTOPEN, text: "no write-ahead log can be kept there (journal mode \(mode))")
        }

        private var primary: Int32 { code & 0xFF }

        /// Another process held the lock for longer than the limit.
        var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
        var isNotADatabase: Bool { primary == SQLITE_NOTADB }
        /// The file is not a database, or a damaged one.
        var isMalformed: Bool { primary == SQLITE_CORRUPT || isNotADatabase }
        var isFull: Bool { primary == SQLITE_FULL }

        /// The error for callers of the store.
        var storeFailure: StoreFailure {
            if isBusy { return .timedOut }
            if isMalformed { return .malformed }
            return isFull ? .full : .unavailable
        }
    }
#endif
