import Bytes
import Model

/// The store of tokens and revocations (DEC-10).
package struct StoreSection: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// In the memory of the process.
        case memory
        /// In a file, shared by processes of one machine.
        case sqlite
        /// In a Redis or Valkey server, shared by several machines.
        case redis
    }

    package var kind: Kind
    /// The database file of `sqlite`.
    package var path: String
    /// Keys of 32 bytes, the one in use first; none if they are in `keyFile`.
    package var keys: [[UInt8]]
    /// File with the keys. If missing, it is created with mode 0600.
    package var keyFile: String
    /// Nil for other kinds than `redis`.
    package var redis: RedisEntry?
    /// How long an operation waits for other processes or the server.
    package var timeout: Duration
    /// How long the store may be unreachable before the deny list is out of date.
    package var staleAfter: Duration
    package var whenUnavailable: StoreOutageRule

    /// DEC-10: the durable store if it is built in.
    #if SQLite
        package static let usualKind = Kind.sqlite
    #else
        package static let usualKind = Kind.memory
    #endif

    static func read(_ object: inout ObjectReader) -> StoreSection {
        let kind = object.value(
            "kind", .choice.atStart(), default: usualKind, isDocumented: false,
            """
            `sqlite`: a file. `redis`: a Redis or Valkey server, for gateways on several machines. `memory`: \
            lost at the end of the process. The default is `sqlite` if the program is built with that trait, \
            else `memory`.
            """)
        let standardPath = object.field.findings.path(of: "state/tokens.sqlite", isInput: false)
        let file = Shape(
            .text, write: { _ in .text("state/tokens.sqlite") },
            read: { field in field.name("a file name").map { field.findings.path(of: $0, isInput: false) } })
        let path = object.value(
            "path", file.atStart(), default: standardPath,
            "The file of `sqlite`, on a local disk. Processes of one machine may share it.")
        // Not a rule between keys, since the default of `kind` differs between builds.
        for (name, field) in object.entries where name == "path" && kind != .sqlite {
            field.error("only a store of the kind sqlite has a file", expected: "\"kind\": \"sqlite\"")
        }
        let redis = object.keys(
            with: .equals("kind", "redis"), because: "only a store of the kind redis has this", RedisEntry.read)
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
            kind: kind, path: path, keys: key ?? [], keyFile: keyFile,
            redis: redis ?? nil,
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
