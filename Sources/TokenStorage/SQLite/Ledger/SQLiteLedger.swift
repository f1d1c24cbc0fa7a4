#if SQLite
    /// The one connection of a store and what runs over it: batches of operations, each batch one transaction.
    final class SQLiteLedger {
        let connection: SQLiteConnection
        let table: SQLiteTokenTable
        let origin: SQLiteOrigin
        /// The highest place of the deny list that is known to have been given out.
        private(set) var latest: Int64 = 0
        private let begin: SQLiteConnection.Statement
        private let beginToWrite: SQLiteConnection.Statement
        private let commit: SQLiteConnection.Statement

        /// An operation with the time that it was asked at.
        struct Task: Sendable {
            var operation: StoreOperation
            var now: Int64
        }

        /// Opens the file, see `SQLiteConnection.openStore`.
        init(path: String, patience: Int32) throws(SQLiteOpenError) {
            connection = try SQLiteConnection.openStore(path, patience: patience)
            table = SQLiteTokenTable(connection)
            do throws(SQLiteFailure) {
                begin = try connection.prepare("BEGIN")
                // A transaction that is to write takes the lock at once: none is lost to one that came in between.
                beginToWrite = try connection.prepare("BEGIN IMMEDIATE")
                commit = try connection.prepare("COMMIT")
                origin = try connection.origin()
            } catch {
                throw SQLiteOpenError(error)
            }
        }

        /// Does all of them and waits for the disk once. What is answered as a success is on it.
        func perform(_ tasks: [Task]) -> [Result<StoreAnswer, StoreFailure>] {
            do throws(BatchFailure) {
                return try transaction(tasks).map { .success($0) }
            } catch {
                // One operation alone may be to blame; then the others need not suffer.
                guard tasks.count > 1, error.isOfOneOperation else { return tasks.map { _ in .failure(error.cause) } }
                return tasks.flatMap { perform([$0]) }
            }
        }

        private struct BatchFailure: Error {
            var cause: StoreFailure
            var isOfOneOperation = false
        }

        private func transaction(_ tasks: [Task]) throws(BatchFailure) -> [StoreAnswer] {
            let isRead = tasks.allSatisfy { $0.operation.isRead }
            try run(isRead ? begin : beginToWrite)
            var answers: [StoreAnswer] = []
            do throws(StoreFailure) {
                for task in tasks { answers.append(try table.perform(task.operation, now: task.now)) }
            } catch {
                rollBack()
                throw BatchFailure(cause: error, isOfOneOperation: true)
            }
            do throws(BatchFailure) {
                try run(commit)
            } catch {
                rollBack()
                throw error
            }
            for answer in answers {
                switch answer {
                case .denied(let place), .changes(_, let place): latest = max(latest, place)
                default: break
                }
            }
            return answers
        }

        private func run(_ statement: SQLiteConnection.Statement) throws(BatchFailure) {
            do throws(SQLiteFailure) {
                try statement.run([])
            } catch {
                throw BatchFailure(cause: error.storeFailure)
            }
        }

        private func rollBack() {
            // Where the failure has ended the transaction already there is nothing to do, and where this fails too the
            // next BEGIN will say so.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
        }
    }
#endif
