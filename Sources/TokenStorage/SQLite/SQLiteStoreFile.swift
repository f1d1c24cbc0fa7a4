#if SQLite
    /// The file of a store, for as long as the store is open. A file that is removed, replaced or overwritten meanwhile is
    /// noticed before anything is answered, and made anew: by a copy of what the connection still reads of a file that
    /// has only lost its name, else of the deny list that this process knows.
    final class SQLiteStoreFile {
        typealias Task = SQLiteLedger.Task

        private let path: String
        private let patience: Int32
        private let known: @Sendable () -> [DenyEntry]
        private let report: @Sendable (StoreFileEvent) -> Void
        private var ledger: SQLiteLedger
        /// As they are meant to be.
        private var files: SQLiteFiles
        private var loss: SQLiteFileLoss?
        /// When the file could not be made anew, in seconds since 1970, and why.
        private var failed: (at: Int64, why: String)?

        /// Opens the file, see `SQLiteConnection.openStore`.
        ///
        /// - Parameters:
        ///   - known: what this process denies, for a file that has lost it.
        ///   - report: called with what happens to the file, on the thread that `perform` runs on.
        init(
            path: String, patience: Int32, known: @escaping @Sendable () -> [DenyEntry],
            report: @escaping @Sendable (StoreFileEvent) -> Void
        ) throws(SQLiteOpenError) {
            ledger = try SQLiteLedger(path: path, patience: patience)
            // Symbolic links are followed once.
            self.path = ledger.path
            self.patience = patience
            self.known = known
            self.report = report
            files = SQLiteFiles(of: ledger.path)
        }

        /// Does all of them and waits for the disk once. What is answered as a success is in the file that has the name.
        func perform(_ tasks: [Task]) -> [Result<StoreAnswer, StoreFailure>] {
            let now = tasks.last?.now ?? 0
            guard isThere(now: now) else { return tasks.map { _ in .failure(.unavailable) } }
            let results = ledger.perform(tasks)
            guard tasks.contains(where: { !$0.operation.isRead }), let found = change(byOwnWrite: true)
            else { return results }
            report(.lost(found.text))
            // A copy has in it what was just written; the deny list that is known has not.
            let contents = restore(found, now: now)
            if contents == .complete { return results }
            return tasks.map { _ in .failure(.unavailable) }
        }

        /// Whether the file is what it was, or is so again.
        private func isThere(now: Int64) -> Bool {
            guard let found = change(byOwnWrite: false) else {
                if loss != nil { end(.returned) }
                return true
            }
            if loss == nil { report(.lost(found.text)) }
            return restore(found, now: now) != nil
        }

        // MARK: Watching

        /// What has become of the files since they were looked at last; nil while they are what they were.
        private func change(byOwnWrite: Bool) -> SQLiteFileLoss? {
            let seen = SQLiteFiles(of: path)
            guard let database = seen.database else { return .removed }
            guard let before = files.database, database.isSameFile(as: before) else { return .replaced }
            // Nobody removes these while a connection is open.
            if let log = files.log, !log.isSameFile(as: seen.log) { return .logRemoved }
            if let index = files.index, !index.isSameFile(as: seen.index) { return .logRemoved }
            // Nothing makes a store's file smaller.
            guard database.bytes >= before.bytes else { return .overwritten("it has become shorter") }
            if !byOwnWrite, database != before {
                do throws(StoreFailure) {
                    if let finding = try ledger.finding(bytes: database.bytes) { return .overwritten(finding) }
                    let missing = try ledger.deny(missing: known())
                    if missing > 0 { report(.amended(entries: missing)) }
                } catch {
                    // Where it cannot be told for now, the next operation looks again.
                    return error == .malformed ? .overwritten("it is damaged") : nil
                }
            }
            files = seen
            return nil
        }

        // MARK: Making it anew

        /// Tries it, once a second. Nil where it is not there again.
        private func restore(_ found: SQLiteFileLoss, now: Int64) -> StoreFileContents? {
            loss = found
            if failed?.at == now { return nil }
            do throws(SQLiteFileFailure) {
                let contents = try SQLiteFileStep.locked(path + ".lock") { () throws(SQLiteFileFailure) in
                    if let contents = try adopt() { return contents }
                    return try remake(found, now: now)
                }
                end(contents)
                return contents
            } catch {
                if failed?.why != error.text { report(.failed(error.text)) }
                failed = (now, error.text)
                return nil
            }
        }

        private func end(_ contents: StoreFileContents) {
            loss = nil
            failed = nil
            report(.restored(contents))
        }

        /// Goes over to the file that another process has put there. Nil where there is none.
        private func adopt() throws(SQLiteFileFailure) -> StoreFileContents? {
            let here = SQLiteFiles(of: path)
            guard let database = here.database, !database.isSameFile(as: files.database) else { return nil }
            // Our own log must not be taken for that of the other file.
            try dropSideFiles(here)
            guard let other = try ledger(at: path), other.origin.succeeds(ledger.origin) else { return nil }
            try use(other)
            return .others
        }

        /// Opens another file. Nil for what is no store, and stays as it is.
        private func ledger(at path: String) throws(SQLiteFileFailure) -> SQLiteLedger? {
            do throws(SQLiteOpenError) {
                return try SQLiteLedger(path: path, patience: patience)
            } catch {
                switch error {
                case .notADatabase, .foreign, .newer, .damaged: return nil
                case .unusable: throw SQLiteFileFailure(text: "\(path) \(error.text)")
                }
            }
        }

        /// Opens a file that this process has made.
        private func own(_ path: String) throws(SQLiteFileFailure) -> SQLiteLedger {
            guard let ledger = try ledger(at: path) else { throw SQLiteFileFailure(text: "\(path) is no store") }
            return ledger
        }

        private func dropSideFiles(_ here: SQLiteFiles) throws(SQLiteFileFailure) {
            if let index = here.index, index.isSameFile(as: files.index) {
                try SQLiteFileStep.remove(path + SQLiteFiles.indexSuffix)
            }
            if let log = here.log, log.isSameFile(as: files.log) {
                try SQLiteFileStep.remove(path + SQLiteFiles.logSuffix)
            }
        }

        /// Puts a new file in the place, complete from its first moment on. What is there is kept under another name.
        private func remake(_ found: SQLiteFileLoss, now: Int64) throws(SQLiteFileFailure) -> StoreFileContents {
            let draft = path + ".new"
            for suffix in SQLiteFiles.suffixes { try SQLiteFileStep.remove(draft + suffix) }
            var contents = found.keepsContents ? StoreFileContents.complete : .denyList
            if contents == .complete, try !copy(to: draft) { contents = .denyList }
            if contents == .denyList { try SQLiteFileStep.create(draft) }
            try begin(draft)
            guard SQLiteFiles(of: draft).log == nil else {
                throw SQLiteFileFailure(text: "\(draft) cannot be written: its log stays")
            }
            ledger.leaveLog()
            // The index of a log is made anew where it is missing.
            try SQLiteFileStep.remove(path + SQLiteFiles.indexSuffix)
            for suffix in SQLiteFiles.suffixes where SQLiteFiles.Status(path + suffix) != nil {
                try SQLiteFileStep.rename(path + suffix, to: "\(path).lost-\(now)\(suffix)")
            }
            try SQLiteFileStep.rename(draft, to: path)
            try SQLiteFileStep.syncDirectory(of: path)
            try use(try own(path))
            return contents
        }

        /// Writes into a new file what every one has. Its log is written back when the connection ends, so that one file is
        /// all there is.
        private func begin(_ draft: String) throws(SQLiteFileFailure) {
            let fresh = try own(draft)
            try SQLiteStoreFile.asking { () throws(StoreFailure) in
                try fresh.takeUp(after: ledger.origin, latest: ledger.latest)
                _ = try fresh.deny(missing: known())
            }
        }

        /// Copies what the connection still reads. False where that is damaged.
        private func copy(to draft: String) throws(SQLiteFileFailure) -> Bool {
            // Only its owner may read it, from the first byte on.
            try SQLiteFileStep.create(draft)
            do throws(StoreFailure) {
                try ledger.copy(to: draft)
                return true
            } catch {
                for suffix in SQLiteFiles.suffixes { try SQLiteFileStep.remove(draft + suffix) }
                if error == .malformed { return false }
                throw SQLiteFileFailure(text: "\(draft) cannot be written: \(error.reason)")
            }
        }

        /// Goes on with another connection.
        private func use(_ other: SQLiteLedger) throws(SQLiteFileFailure) {
            try SQLiteStoreFile.asking { () throws(StoreFailure) in _ = try other.deny(missing: known()) }
            ledger = other
            files = SQLiteFiles(of: path)
        }

        private static func asking(_ body: () throws(StoreFailure) -> Void) throws(SQLiteFileFailure) {
            do throws(StoreFailure) {
                try body()
            } catch {
                throw SQLiteFileFailure(text: "the new file cannot be written: \(error.reason)")
            }
        }
    }

    /// What has become of a store's file.
    enum SQLiteFileLoss: Equatable {
        case removed
        /// Another file has the name.
        case replaced
        /// The write-ahead log or its index is gone, and with it what was not yet written back.
        case logRemoved
        case overwritten(String)

        /// Whether the connection still reads all that was in it.
        var keepsContents: Bool {
            if case .overwritten = self { false } else { true }
        }

        var text: String {
            switch self {
            case .removed: "removed"
            case .replaced: "replaced by another file"
            case .logRemoved: "its write-ahead log was removed"
            case .overwritten(let finding): "overwritten: \(finding)"
            }
        }
    }
#endif
