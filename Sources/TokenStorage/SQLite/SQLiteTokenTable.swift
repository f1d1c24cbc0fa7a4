#if SQLite
    /// The tables of `SQLiteSchema`. Each call is one statement of the current transaction.
    final class SQLiteTokenTable: TokenTable {
        typealias Statement = SQLiteConnection.Statement
        typealias Value = SQLiteConnection.Statement.Value

        private let connection: SQLiteConnection
        private var statements: [String: Statement] = [:]

        init(_ connection: SQLiteConnection) { self.connection = connection }

        // MARK: Records

        private static let columns = """
            id, kind, slot, application, subject, token_id, access_digest, access_expires_at, refresh_digest, \
            refresh_expires_at, issued_at, scope, extra, sealed, attributes, last_used_at
            """
        private static let select = "SELECT \(columns) FROM token"

        func record(_ key: TokenKey) throws(StoreFailure) -> TokenRecord? {
            switch key {
            case .access(let digest): return try record(where: "access_digest = ?", .bytes(digest))
            case .refresh(let digest): return try record(where: "refresh_digest = ?", .bytes(digest))
            case .family(let digest):
                if let record = try record(.refresh(digest)) { return record }
                return try record(
                    where: "id = (SELECT family FROM used_refresh WHERE digest = ?)", .bytes(digest))
            case .id(let id): return try record(where: "id = ?", .text(id))
            case .names(let names):
                for name in names { if let record = try record(.id(name)) { return record } }
                return nil
            case .tokenID(let id): return try record(where: "token_id = ?", .text(id))
            }
        }

        func record(inSlot slot: String) throws(StoreFailure) -> TokenRecord? {
            try record(where: "slot = ?", .text(slot))
        }

        private func record(where condition: String, _ value: Value) throws(StoreFailure) -> TokenRecord? {
            let text = "\(SQLiteTokenTable.select) WHERE \(condition)"
            return try rows(text, [value], SQLiteTokenTable.record).first
        }

        func records(application: String?, subject: String?, limit: Int) throws(StoreFailure) -> [TokenRecord] {
            var conditions: [String] = []
            var values: [Value] = []
            if let subject {
                conditions.append("subject = ?")
                values.append(.text(subject))
            }
            if let application {
                conditions.append("application = ?")
                values.append(.text(application))
            }
            let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
            let text = "\(SQLiteTokenTable.select) \(filter) ORDER BY issued_at DESC, id LIMIT ?"
            return try rows(text, values + [.integer(Int64(limit))], SQLiteTokenTable.record)
        }

        /// Place is the id of the last record before.
        func survey(from place: String, limit: Int) throws(StoreFailure) -> (records: [TokenRecord], next: String) {
            let text = "\(SQLiteTokenTable.select) WHERE id > ? ORDER BY id LIMIT ?"
            let records = try rows(text, [.text(place), .integer(Int64(limit))], SQLiteTokenTable.record)
            return (records, records.count < limit ? "" : records.last?.id ?? "")
        }

        private static func record(_ row: borrowing Statement) throws(SQLiteFailure) -> TokenRecord {
            guard let kind = TokenRecord.Kind(rawValue: row.text(1)) else { throw .unknownKind }
            var record = TokenRecord(
                id: row.text(0), kind: kind, application: row.text(3), subject: row.text(4), tokenID: row.text(5),
                accessExpiresAt: row.integer(7), issuedAt: row.integer(10))
            record.slot = row.text(2)
            record.accessDigest = row.isNull(6) ? nil : row.bytes(6)
            record.refreshDigest = row.isNull(8) ? nil : row.bytes(8)
            record.refreshExpiresAt = row.integer(9)
            record.scope = row.text(11)
            record.extra = row.text(12)
            record.sealed = row.bytes(13)
            record.attributes = row.bytes(14)
            record.lastUsedAt = row.integer(15)
            return record
        }

        func insert(_ record: TokenRecord) throws(StoreFailure) {
            let text = """
                INSERT INTO token (\(SQLiteTokenTable.columns), ends_at) \
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            try run(
                text, .text(record.id), .text(record.kind.rawValue), SQLiteTokenTable.orNull(record.slot),
                .text(record.application), .text(record.subject), SQLiteTokenTable.orNull(record.tokenID),
                SQLiteTokenTable.orNull(record.accessDigest), .integer(record.accessExpiresAt),
                SQLiteTokenTable.orNull(record.refreshDigest), .integer(record.refreshExpiresAt),
                .integer(record.issuedAt), .text(record.scope), .text(record.extra), .bytes(record.sealed),
                .bytes(record.attributes), .integer(record.lastUsedAt), .integer(record.endsAt))
        }

        private static func orNull(_ text: String) -> Value { text.isEmpty ? .null : .text(text) }
        private static func orNull(_ bytes: [UInt8]?) -> Value { bytes.map { .bytes($0) } ?? .null }

        func remove(_ record: TokenRecord) throws(StoreFailure) {
            try run("DELETE FROM token WHERE id = ?", .text(record.id))
        }

        func touch(_ use: TokenUse) throws(StoreFailure) -> Bool {
            let text = """
                UPDATE token SET last_used_at = max(last_used_at, ?), access_expires_at = max(access_expires_at, ?), \
                ends_at = max(ends_at, ?) WHERE id = ?
                """
            try run(
                text, .integer(use.usedAt), .integer(use.accessUntil), .integer(use.accessUntil), .text(use.id))
            return connection.changedRows > 0
        }

        // MARK: Deny list

        func append(_ entry: DenyEntry) throws(StoreFailure) -> Int64 {
            try run(
                "INSERT INTO denied (kind, name, subject, issued_before, until) VALUES (?, ?, ?, ?, ?)",
                .text(entry.kind.rawValue), .text(entry.name), .text(entry.subject), .integer(entry.issuedBefore),
                .integer(entry.until))
            return connection.lastRow
        }

        func changes(after sequence: Int64, limit: Int) throws(StoreFailure) -> [DenyChange] {
            let text = """
                SELECT sequence, kind, name, subject, issued_before, until FROM denied WHERE sequence > ? \
                ORDER BY sequence LIMIT ?
                """
            return try rows(text, [.integer(sequence), .integer(Int64(limit))]) { row throws(SQLiteFailure) in
                guard let kind = DenyEntry.Kind(rawValue: row.text(1)), kind != .unknown else {
                    let entry = DenyEntry.unknown(
                        row.text(1), about: row.text(2), changedAt: row.integer(4), until: row.integer(5))
                    return DenyChange(sequence: row.integer(0), entry: entry)
                }
                let entry = DenyEntry(
                    kind: kind, name: row.text(2), subject: row.text(3), issuedBefore: row.integer(4),
                    until: row.integer(5))
                return DenyChange(sequence: row.integer(0), entry: entry)
            }
        }

        func latestSequence() throws(StoreFailure) -> Int64 {
            // The AUTOINCREMENT counter, which never decreases, even after cleaning.
            try rows("SELECT seq FROM sqlite_sequence WHERE name = 'denied'", []) { row in row.integer(0) }.first ?? 0
        }

        // MARK: Single use

        func usedRefresh(_ digest: [UInt8]) throws(StoreFailure) -> UsedRefresh? {
            let text = "SELECT family, application, until, successor, grace_until FROM used_refresh WHERE digest = ?"
            return try rows(text, [.bytes(digest)]) { row in
                UsedRefresh(
                    family: row.text(0), application: row.text(1), until: row.integer(2), successor: row.bytes(3),
                    graceUntil: row.integer(4))
            }.first
        }

        func remember(_ used: UsedRefresh, digest: [UInt8]) throws(StoreFailure) {
            let text = """
                INSERT OR REPLACE INTO used_refresh (digest, family, application, until, successor, grace_until) \
                VALUES (?, ?, ?, ?, ?, ?)
                """
            try run(
                text, .bytes(digest), .text(used.family), .text(used.application), .integer(used.until),
                .bytes(used.successor), .integer(used.graceUntil))
        }

        func singleUse(_ key: String) throws(StoreFailure) -> Int64? {
            try rows("SELECT until FROM single_use WHERE key = ?", [.text(key)]) { row in row.integer(0) }.first
        }

        func remember(singleUse key: String, until: Int64) throws(StoreFailure) {
            try run("INSERT OR REPLACE INTO single_use (key, until) VALUES (?, ?)", .text(key), .integer(until))
        }

        // MARK: Capacity

        func clean(limit: Int, now: Int64) throws(StoreFailure) -> (records: Int, most: Int) {
            let tables = [
                ("used_refresh", "digest", "until"), ("single_use", "key", "until"), ("denied", "sequence", "until"),
                ("token", "id", "ends_at"),
            ]
            var (records, most) = (0, 0)
            for (table, key, end) in tables {
                try run(
                    SQLiteTokenTable.removal(from: table, key, end), [.integer(now), .integer(Int64(limit))])
                records = connection.changedRows
                most = max(most, records)
            }
            return (records, most)
        }

        private static func removal(from table: String, _ key: String, _ end: String) -> String {
            "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(end) <= ? LIMIT ?)"
        }

        // MARK: Statements

        /// Prepares each text once. There are few distinct texts, since values are parameters.
        private func statement(_ text: String) throws(SQLiteFailure) -> Statement {
            if let prepared = statements[text] { return prepared }
            let statement = try connection.prepare(text)
            statements[text] = statement
            return statement
        }

        private func run(_ text: String, _ values: Value...) throws(StoreFailure) { try run(text, values) }

        private func run(_ text: String, _ values: [Value]) throws(StoreFailure) {
            do throws(SQLiteFailure) {
                try statement(text).run(values)
            } catch {
                throw error.storeFailure
            }
        }

        private func rows<Row>(
            _ text: String, _ values: [Value], _ read: (borrowing Statement) throws(SQLiteFailure) -> Row
        ) throws(StoreFailure) -> [Row] {
            do throws(SQLiteFailure) {
                return try statement(text).rows(values, read)
            } catch {
                throw error.storeFailure
            }
        }
    }
#endif
