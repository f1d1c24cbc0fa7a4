#if SQLite
    /// Why a file cannot be the token store.
    package enum SQLiteOpenError: Error, Sendable, Equatable {
        /// It cannot be opened, or the file system cannot do what is asked of it.
        case unusable(String)
        /// It is no database.
        case notADatabase
        /// It is a database of another program.
        case foreign
        /// A newer version of this program has made it.
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

        /// What is the matter, for operators, to go behind the name of the file.
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
