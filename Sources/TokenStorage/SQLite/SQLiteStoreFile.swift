#if SQLite
    /// The file of a store while it is open. Before each answer it checks that the file was not removed, replaced or
    /// overwritten. If it was, it recreates the file: by copying through the connection if the file only lost its name,
    /// otherwise from the deny list known to this process.
    final class SQLiteStoreFile {
        typealias Task = SQLiteLedger.Task

        private let path: String
        private let patience: Int32
        private let known: @Sendable () -> [DenyEntry]
        private let report: @Sendable (StoreFileEvent) -> Void
        private var ledger: SQLiteLedger
        /// The expected status.
        private var files: SQLiteFiles
        private var loss: SQLiteFileLoss?
        /// Time of the last failed attempt to recreate the file, in seconds since 1970, and its cause.
        private var failed: (at: Int64, why: String)?

        /// Opens the file, see `SQLiteConnection.openStore`.
        ///
        /// - Parameters:
        ///   - known: the deny entries of this process, for a file that has lost them.
        ///   - report: called with events of the file, on the thread that runs `perform`.
        init(
            path: String, patience: Int32, known: @escaping @Sendable () -> [DenyEntry],
            report: @escaping @Sendable (StoreFileEvent) -> Void
        ) throws(SQLiteOpenError) {
            ledger = try SQLiteLedger(path: path, patience: patience)
            // Symbolic links are resolved once.
            self.path = ledger.path
            self.patience = patience
            self.known = known
            self.report = report
            files = SQLiteFiles(of: ledger.path)
        }

        /// Performs all operations with one sync. Successful ones are in the file that currently has the name.
        func perform(_ tasks: [Task]) -> [Result<StoreAnswer, StoreFailure>] {
            let now = tasks.last?.now ?? 0
            guard isThere(now: now) else { return tasks.map { _ in .failure(.unavailable) } }
            let results = ledger.perform(tasks)
            guard tasks.contains(where: { !$0.operation.isRead }), let found = change(byOwnWrite: true)
            else { return results }
            report(.lost(found.text))
            // A copy contains what was just written; a file rebuilt from the deny list does not.
            let contents = restore(found, now: now)
            if contents == .complete { return results }
            return tasks.map { _ in .failure(.unavailable) }
        }

        /// Whether the file is intact, or was restored.
        private func isThere(now: Int64) -> Bool {
            guard let found = change(byOwnWrite: false) else {
                if loss != nil { end(.returned) }
                return true
            }
            if loss == nil { report(.lost(found.text)) }
            return restore(found, now: now) != nil
        }

        // MARK: Watching

        /// What happened to the files since the last check; nil if unchanged.
        private func change(byOwnWrite: Bool) -> SQLiteFileLoss? {
            let seen = SQLiteFiles(of: path)
            guard let database = seen.database else { return .removed }
            guard let before = files.database, database.isSameFile(as: before) else { return .replaced }
            // These are never removed while a connection is open.
            if let log = files.log, !log.isSameFile(as: seen.log) { return .logRemoved }
            if let index = files.index, !index.isSameFile(as: seen.index) { return .logRemoved }
            // A store file never shrinks.
            guard database.bytes >= before.bytes else { return .overwritten("it has become shorter") }
            if !byOwnWrite, database != before {
                do throws(StoreFailure) {
                    if let finding = try ledger.finding(bytes: database.bytes) { return .overwritten(finding) }
                    let missing = try ledger.deny(missing: known())
                    if missing > 0 { report(.amended(entries: missing)) }
                } catch {
                    // If the check is impossible now, the next operation repeats it.
                    return error == .malformed ? .overwritten("it is damaged") : nil
                }
            }
            files = seen
            return nil
        }

        // MARK: Restoring

        /// Tries to restore the file, at most once a second. Nil if it failed.
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

        /// Switches to a file that another process has restored. Nil if there is none.
        private func adopt() throws(SQLiteFileFailure) -> StoreFileContents? {
            let here = SQLiteFiles(of: path)
            guard let database = here.database, !database.isSameFile(as: files.database) else { return nil }
            // The lost file's log must not be applied to the other file.
            try dropSideFiles(here)
            guard let other = try ledger(at: path), other.origin.succeeds(ledger.origin) else { return nil }
            try use(other)
            return .others
        }

        /// Opens another file. Nil if it is not a token store; it is left unchanged.
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

        /// Opens a file created by this process.
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

        /// Replaces the file by a new one, atomically. An existing file is kept under another name.
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
            // A missing log index is rebuilt automatically.
            try SQLiteFileStep.remove(path + SQLiteFiles.indexSuffix)
            for suffix in SQLiteFiles.suffixes where SQLiteFiles.Status(path + suffix) != nil {
                try SQLiteFileStep.rename(path + suffix, to: "\(path).lost-\(now)\(suffix)")
            }
            try SQLiteFileStep.rename(draft, to: path)
            try SQLiteFileStep.syncDirectory(of: path)
            try use(try own(path))
            return contents
        }

        /// Initialises a new file. Closing the connection checkpoints its log, which leaves a single file.
        private func begin(_ draft: String) throws(SQLiteFileFailure) {
            let fresh = try own(draft)
            try SQLiteStoreFile.asking { () throws(StoreFailure) in
                try fresh.takeUp(after: ledger.origin, latest: ledger.latest)
                _ = try fresh.deny(missing: known())
            }
        }

        /// Copies what the connection still reads. False if that is damaged.
        private func copy(to draft: String) throws(SQLiteFileFailure) -> Bool {
            // Created first with owner-only access, so that the copy is never readable by others.
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

        /// Switches to another connection.
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

    /// How a store file was lost.
    enum SQLiteFileLoss: Equatable {
        case removed
        /// Another file has its name.
        case replaced
        /// The write-ahead log or its index was removed, and with it changes that were not checkpointed.
        case logRemoved
        case overwritten(String)

        /// Whether the connection still reads the complete contents.
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
