#if SQLite
    /// The single connection of a store. Runs batches of operations, each batch in one transaction.
    final class SQLiteLedger {
        let connection: SQLiteConnection
        let table: SQLiteTokenTable
        let origin: SQLiteOrigin
        /// The highest known sequence number of the deny list.
        private(set) var latest: Int64 = 0
        private let begin: SQLiteConnection.Statement
        private let beginToWrite: SQLiteConnection.Statement
        private let commit: SQLiteConnection.Statement

        /// An operation with the time of its request.
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
                // Takes the write lock at once, so that a transaction never fails when it starts to write.
                beginToWrite = try connection.prepare("BEGIN IMMEDIATE")
                commit = try connection.prepare("COMMIT")
                origin = try connection.origin()
            } catch {
                throw SQLiteOpenError(error)
            }
        }

        /// Performs all operations with one sync. Successful ones are durable.
        func perform(_ tasks: [Task]) -> [Result<StoreAnswer, StoreFailure>] {
            do throws(BatchFailure) {
                return try transaction(tasks).map { .success($0) }
            } catch {
                // If a single operation may have failed the batch, the others are run without it.
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
            // Nothing to do if the failure has already ended the transaction; if this fails too, the next BEGIN reports
            // it.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
        }
    }
#endif
