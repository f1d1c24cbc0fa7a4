#if SQLite
    import CSQLite

    extension SQLiteConnection {
        /// A prepared statement: bound, stepped through and reset for its next use.
        @safe
        final class Statement {
            // SAFETY: the pointer is private, comes from sqlite3_prepare_v3 and is finalised by `deinit` alone; the
            // connection lives until then.
            private let statement: OpaquePointer
            private let connection: SQLiteConnection

            init(_ statement: OpaquePointer, of connection: SQLiteConnection) {
                unsafe self.statement = statement
                self.connection = connection
            }

            deinit {
                // SAFETY: no references to the statement remain.
                unsafe sqlite3_finalize(statement)
            }

            /// A column value or a parameter.
            enum Value {
                case null
                case integer(Int64)
                case text(String)
                case bytes([UInt8])
            }

            /// Runs a statement without result rows.
            func run(_ parameters: [Value]) throws(SQLiteFailure) {
                try bind(parameters)
                defer { reset() }
                let code = unsafe sqlite3_step(statement)
                guard code == SQLITE_DONE || code == SQLITE_ROW else { throw connection.failure(code) }
            }

            /// The rows, each converted by `read`, which gets the statement at that row.
            func rows<Row>(
                _ parameters: [Value], _ read: (borrowing Statement) throws(SQLiteFailure) -> Row
            ) throws(SQLiteFailure) -> [Row] {
                try bind(parameters)
                defer { reset() }
                var rows: [Row] = []
                while true {
                    let code = unsafe sqlite3_step(statement)
                    switch code {
                    case SQLITE_ROW: rows.append(try read(self))
                    case SQLITE_DONE: return rows
                    default: throw connection.failure(code)
                    }
                }
            }

            // SAFETY, of what follows: the statement is not finalised while this object lives; the library copies texts
            // and bytes when they are bound, and they are copied before the row is left.

            private func bind(_ parameters: [Value]) throws(SQLiteFailure) {
                for (place, value) in parameters.enumerated() {
                    let index = Int32(place + 1)
                    let code: Int32
                    switch value {
                    case .null: code = unsafe sqlite3_bind_null(statement, index)
                    case .integer(let number): code = unsafe sqlite3_bind_int64(statement, index, number)
                    case .text(let text):
                        code = unsafe csqlite_bind_text(statement, index, text, Int32(text.utf8.count))
                    // An empty array may have no address, which would bind null.
                    case .bytes(let bytes) where bytes.isEmpty:
                        code = unsafe sqlite3_bind_zeroblob(statement, index, 0)
                    case .bytes(let bytes):
                        code = unsafe csqlite_bind_blob(statement, index, bytes, Int32(bytes.count))
                    }
                    guard code == SQLITE_OK else { throw connection.failure(code) }
                }
            }

            private func reset() {
                // Repeats the error of the step, which was already checked.
                _ = unsafe sqlite3_reset(statement)
                _ = unsafe sqlite3_clear_bindings(statement)
            }

            func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

            func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

            func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

            func bytes(_ column: Int32) -> [UInt8] {
                // In this order, as the library requires: the first call may convert the value.
                let start = unsafe sqlite3_column_blob(statement, column)
                let count = Int(unsafe sqlite3_column_bytes(statement, column))
                guard let start = unsafe start, count > 0 else { return [] }
                return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
            }
        }
    }
#endif
