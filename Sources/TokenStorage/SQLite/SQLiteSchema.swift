#if SQLite
    /// The database schema, version 4.
    ///
    /// Times are seconds since 1970. `application_id` identifies the file as a token store, `user_version` its schema
    /// version.
    enum SQLiteSchema {
        /// "PTCS".
        static let applicationID: Int64 = 0x5054_4353
        static let version: Int64 = 4

        /// The migrations to each version; the last one leads to `version`. Changing the schema means appending a step:
        /// older files run the steps that they lack.
        static let steps = [step1, step2, step3, step4]

        private static let step1 = """
            CREATE TABLE token (
                id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, slot TEXT, application TEXT NOT NULL,
                subject TEXT NOT NULL, token_id TEXT, access_digest BLOB, access_expires_at INTEGER NOT NULL,
                refresh_digest BLOB, refresh_expires_at INTEGER NOT NULL, issued_at INTEGER NOT NULL,
                scope TEXT NOT NULL, extra TEXT NOT NULL, sealed BLOB NOT NULL, attributes BLOB NOT NULL,
                ends_at INTEGER NOT NULL
            ) STRICT;
            CREATE UNIQUE INDEX token_slot ON token (slot) WHERE slot IS NOT NULL;
            CREATE UNIQUE INDEX token_token_id ON token (token_id) WHERE token_id IS NOT NULL;
            CREATE UNIQUE INDEX token_access ON token (access_digest) WHERE access_digest IS NOT NULL;
            CREATE UNIQUE INDEX token_refresh ON token (refresh_digest) WHERE refresh_digest IS NOT NULL;
            CREATE INDEX token_subject ON token (subject, application, issued_at);
            CREATE INDEX token_application ON token (application, issued_at);
            CREATE INDEX token_issued ON token (issued_at);
            CREATE INDEX token_end ON token (ends_at);
            CREATE TABLE used_refresh (
                digest BLOB NOT NULL PRIMARY KEY, family TEXT NOT NULL, application TEXT NOT NULL, until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX used_refresh_end ON used_refresh (until);
            CREATE TABLE single_use (key TEXT NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX single_use_end ON single_use (until);
            CREATE TABLE denied (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL,
                subject TEXT NOT NULL, issued_before INTEGER NOT NULL, until INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX denied_end ON denied (until);
            """

        /// The successor of a used refresh token, and its grace period.
        private static let step2 = """
            ALTER TABLE used_refresh ADD COLUMN successor BLOB NOT NULL DEFAULT x'';
            ALTER TABLE used_refresh ADD COLUMN grace_until INTEGER NOT NULL DEFAULT 0;
            """

        /// Last use of a record (OMS-09).
        private static let step3 = "ALTER TABLE token ADD COLUMN last_used_at INTEGER NOT NULL DEFAULT 0;"

        /// Identity of the file (`SQLiteOrigin`).
        private static let step4 = """
            CREATE TABLE origin (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), lineage BLOB NOT NULL, generation INTEGER NOT NULL
            ) STRICT;
            INSERT INTO origin (id, lineage, generation) VALUES (1, randomblob(16), 1);
            """
    }
#endif
