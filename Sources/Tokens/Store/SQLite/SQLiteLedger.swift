#if SQLite
    /// The one connection of a store and what runs over it: batches of operations, each batch one transaction.
    final class SQLiteLedger {
        private let connection: SQLiteConnection
        private let table: SQLiteTokenTable

        /// An operation with the time that it was asked at.
        struct Task: Sendable {
            var operation: StoreOperation
            var now: Int64
        }

        init(_ connection: SQLiteConnection) {
            self.connection = connection
            table = SQLiteTokenTable(connection)
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
            // A transaction that is to write takes the lock at once: none is lost to one that came in between.
            try run(isRead ? "BEGIN" : "BEGIN IMMEDIATE")
            var answers: [StoreAnswer] = []
            do throws(StoreFailure) {
                for task in tasks { answers.append(try table.perform(task.operation, now: task.now)) }
            } catch {
                rollBack()
                throw BatchFailure(cause: error, isOfOneOperation: true)
            }
            do throws(BatchFailure) {
                try run("COMMIT")
            } catch {
                rollBack()
                throw error
            }
            return answers
        }

        private func run(_ text: String) throws(BatchFailure) {
            do throws(SQLiteFailure) {
                try connection.run(text)
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
