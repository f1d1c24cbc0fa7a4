#if SQLite
    /// Why a file cannot be used as the token store.
    package enum SQLiteOpenError: Error, Sendable, Equatable {
        /// It cannot be opened, or the file system lacks a required feature.
        case unusable(String)
        /// It is not a database.
        case notADatabase
        /// It belongs to another program.
        case foreign
        /// It was created by a newer version of this program.
        case newer(version: Int64)
        case damaged(String)

        init(_ failure: SQLiteFailure) {
            self =
                if failure.isNotADatabase {
                    .notADatabase
                } else if failure.isMalformed {
                    .damaged(failure.text)
                } else {
                    .unusable(failure.text)
                }
        }

        /// Description for operators, to follow the file name.
        package var text: String {
            switch self {
            case .unusable(let reason): "cannot be used as the token store: \(reason)"
            case .notADatabase: "is no SQLite database"
            case .foreign: "is the database of another program"
            case .newer(let version):
                "has version \(version) of the schema, and this program knows up to \(SQLiteSchema.version)"
            case .damaged(let finding): "is damaged: \(finding)"
            }
        }
    }
#endif
