#if SQLite
    import CSQLite

    /// One connection to a database file. Not for several threads at a time: whoever owns it sees to that.
    @safe
    final class SQLiteConnection {
        // SAFETY: the pointer is private, comes from sqlite3_open_v2 and is closed by `deinit` alone. Statements hold the
        // connection, so that all of them are finalised before.
        private let database: OpaquePointer

        /// Opens the file, and makes it where it is missing.
        init(path: String) throws(SQLiteFailure) {
            var opened: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            // SAFETY: `opened` is this call's own; sqlite copies the path.
            let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
            guard code == SQLITE_OK, let handle = unsafe opened else {
                // SAFETY: what is opened in part is closed; null is allowed.
                let failure = unsafe SQLiteFailure(code: code, text: SQLiteConnection.text(opened))
                unsafe sqlite3_close(opened)
                throw failure
            }
            unsafe database = handle
        }

        deinit {
            // SAFETY: nobody has the connection any more, and no statement of it is left.
            unsafe sqlite3_close(database)
        }

        /// How long to wait for a lock that another process holds.
        func waitForLocks(milliseconds: Int32) {
            // SAFETY: the connection is open as long as this object lives.
            unsafe sqlite3_busy_timeout(database, milliseconds)
        }

        /// Waits, and answers for how long it was: where SQLite was built without `usleep` it counts whole seconds.
        static func sleep(milliseconds: Int32) -> Int32 { sqlite3_sleep(milliseconds) }

        /// Runs statements that answer nothing.
        func run(_ text: String) throws(SQLiteFailure) {
            // SAFETY: the connection is open as long as this object lives; sqlite copies what it keeps of the text.
            let code = unsafe sqlite3_exec(database, text, nil, nil, nil)
            guard code == SQLITE_OK else { throw failure(code) }
        }

        /// Whether a transaction has begun and not ended. Some failures end it by themselves.
        var isInTransaction: Bool {
            // SAFETY: the connection is open as long as this object lives.
            unsafe sqlite3_get_autocommit(database) == 0
        }

        /// How many rows the last statement inserted, changed or removed.
        var changedRows: Int {
            // SAFETY: the connection is open as long as this object lives.
            Int(unsafe sqlite3_changes(database))
        }

        /// The number of the row inserted last.
        var lastRow: Int64 {
            // SAFETY: the connection is open as long as this object lives.
            unsafe sqlite3_last_insert_rowid(database)
        }

        /// Where the file is, symbolic links followed.
        var path: String {
            // SAFETY: the connection is open as long as this object lives; the text is copied at once.
            guard let name = unsafe sqlite3_db_filename(database, "main") else { return "" }
            return unsafe String(cString: name)
        }

        /// The first bytes of the file as they are on the disk; fewer where it is shorter.
        func start(_ count: Int) throws(SQLiteFailure) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            // SAFETY: the connection is open as long as this object lives; there is room for so many bytes.
            let code = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe csqlite_read_start(database, buffer.baseAddress, Int32(count))
            }
            if code == csqlite_short_read { return [] }
            guard code == SQLITE_OK else { throw failure(code) }
            return bytes
        }

        /// What is in the write-ahead log stays there when the connection is closed.
        func leaveLog() {
            // SAFETY: the connection is open as long as this object lives.
            _ = unsafe csqlite_leave_log(database)
        }

        /// A statement that is run more than once.
        func prepare(_ text: String) throws(SQLiteFailure) -> Statement {
            var made: OpaquePointer?
            // SAFETY: `made` is this call's own; the text is read before the call returns.
            let code = unsafe sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
            guard code == SQLITE_OK, let pointer = unsafe made else { throw failure(code) }
            return unsafe Statement(pointer, of: self)
        }

        /// What the last call complained of.
        func failure(_ code: Int32) -> SQLiteFailure {
            unsafe SQLiteFailure(code: code, text: SQLiteConnection.text(database))
        }

        private static func text(_ database: OpaquePointer?) -> String {
            // SAFETY: sqlite answers a text of its own, also for a null connection, which is copied at once.
            guard let message = unsafe sqlite3_errmsg(database) else { return "out of memory" }
            return unsafe String(cString: message)
        }
    }

    /// What the library complains of.
    struct SQLiteFailure: Error {
        /// An extended result code.
        var code: Int32
        var text: String

        /// A row has a word in it that no version of this program writes.
        static let unknownKind = SQLiteFailure(code: SQLITE_CORRUPT, text: "a row of an unknown kind")

        /// The file system or the build of the library cannot keep a write-ahead log; it stays with another mode.
        static func withoutLog(_ mode: String) -> SQLiteFailure {
            SQLiteFailure(code: SQLITE_CANTOPEN, text: "no write-ahead log can be kept there (journal mode \(mode))")
        }

        private var primary: Int32 { code & 0xFF }

        /// Another process holds the lock for longer than is waited.
        var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
        var isNotADatabase: Bool { primary == SQLITE_NOTADB }
        /// The file is no database, or a damaged one.
        var isMalformed: Bool { primary == SQLITE_CORRUPT || isNotADatabase }
        var isFull: Bool { primary == SQLITE_FULL }

        /// What callers of the store are told.
        var storeFailure: StoreFailure {
            if isBusy { return .timedOut }
            if isMalformed { return .malformed }
            return isFull ? .full : .unavailable
        }
    }
#endif
