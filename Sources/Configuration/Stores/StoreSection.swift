import Bytes
import Declaration
import Model

/// The store of tokens and revocations (DEC-10).
package struct StoreSection: Sendable {
    package var kind: any StoreEntry.Type
    /// What only a store of the kind has; nil after an error.
    package var entry: (any StoreEntry)?
    /// Keys of 32 bytes, the one in use first; none if they are in `keyFile`.
    package var keys: [[UInt8]]
    /// File with the keys. If missing, it is created with mode 0600.
    package var keyFile: String
    /// How long an operation waits for other processes or the server.
    package var timeout: Duration
    /// How long the store may be unreachable before the deny list is out of date.
    package var staleAfter: Duration
    package var whenUnavailable: StoreOutageRule

    /// DEC-10: the durable store if it is built in.
    #if SQLite
        package static let usualKind: any StoreEntry.Type = SQLiteEntry.self
    #else
        package static let usualKind: any StoreEntry.Type = MemoryEntry.self
    #endif

    static func read(_ object: inout ObjectReader) -> StoreSection { read(&object, kinds: StoreKinds.all) }

    package static func read(_ object: inout ObjectReader, kinds: [any StoreEntry.Type]) -> StoreSection {
        let name = object.value(
            "kind", .choice(kinds.map { $0.kind }).atStart(), default: usualKind.kind, isDocumented: false,
            """
            \(kinds.map { "`\($0.kind)`: \($0.meaning)." }.joined(separator: " ")) The default is `sqlite` if the \
            program is built with that trait, else `memory`.
            """)
        var entry: (any StoreEntry)?
        for kind in kinds {
            let read = kind.read(&object, isChosen: kind.kind == name)
            if kind.kind == name { entry = read }
        }
        let (key, keyFile) = object.keyOrFile(
            KeyRing.shape,
            """
            Key that hides tokens in the store, 32 bytes as Base64, or a list of keys. The first one is [in \
            use](guides/keys.md#changing-the-key-of-the-store); the others find and open older records. Gateways that \
            share a store need the same keys.
            """,
            file: "state/store.key",
            "File with the keys, one a line. It is made with one key and mode 0600 where it is missing.")
        return StoreSection(
            kind: kinds.first { $0.kind == name } ?? usualKind, entry: entry, keys: key ?? [], keyFile: keyFile,
            timeout: object.value(
                "timeout", .duration.atStart(), default: .seconds(1),
                "How long an operation waits for another process, or for the server."),
            staleAfter: object.value(
                "staleAfter", .duration.atStart(), default: .seconds(3),
                "How long the store may fail to answer before the deny list counts as out of date."),
            whenUnavailable: object.value(
                "whenUnavailable", .choice.atStart(), default: StoreOutageRule.deny,
                """
                Handling of bearer requests while the deny list is out of date. `deny` responds 503 \
                `store_unavailable`. `allow` uses the last known deny list.
                """))
    }
}
