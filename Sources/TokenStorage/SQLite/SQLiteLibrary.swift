#if SQLite
    import CSQLite

    /// The linked database library, present with the trait `SQLite` (DEC-10).
    package enum SQLiteLibrary {
        /// Its version, such as `3.40.1`.
        package static var version: String {
            // SAFETY: sqlite3_libversion returns a pointer to a static string.
            unsafe String(cString: sqlite3_libversion())
        }
    }
#endif
