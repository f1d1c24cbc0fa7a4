/// Where tokens and what was revoked are kept (DEC-10).
package struct StoreSection: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// In the process, and gone with it.
        case memory
        /// In a file, which several processes of one machine may share.
        case sqlite
        /// In a Redis or Valkey server, which several machines may share.
        case redis
    }

    /// What happens to bearer requests while the store does not say what other processes have revoked.
    package enum Stance: String, Sendable, CaseIterable {
        case deny, allow
    }

    package var kind = StoreSection.usualKind
    /// The database file of `sqlite`.
    package var path: String
    /// 32 bytes, by which the store knows tokens; nil where the key is in `keyFile`.
    package var key: [UInt8]?
    /// File with the key, made with mode 0600 when it is missing.
    package var keyFile: String
    /// Where the server of `redis` is; nil for the other kinds.
    package var redis: RedisEntry?
    /// How long an operation waits for other processes, or for the server.
    package var timeout = Duration.seconds(1)
    /// How long the store may say nothing until the deny list is out of date.
    package var staleAfter = Duration.seconds(3)
    package var whenUnavailable = Stance.deny

    /// DEC-10: the durable one where it is built in.
    #if SQLite
        package static let usualKind = Kind.sqlite
    #else
        package static let usualKind = Kind.memory
    #endif

    static func read(_ field: Field?, _ findings: Findings) -> StoreSection {
        var section = StoreSection(
            path: findings.path(of: "state/tokens.sqlite"), keyFile: findings.path(of: "state/store.key"))
        guard let field else { return section }
        var object = field.object("an object")
        section.kind = object.value("kind", default: usualKind) { $0.choice(Kind.self) }
        if let pathField = object.take("path") {
            if section.kind != .sqlite {
                pathField.error("only a store of the kind sqlite has a file", expected: "\"kind\": \"sqlite\"")
            }
            section.path = pathField.path() ?? section.path
        }
        section.redis = RedisEntry.read(&object, section.kind)
        let keyField = object.take("key")
        let fileField = object.take("keyFile")
        if keyField != nil, let fileField {
            fileField.error("both \"key\" and \"keyFile\" are given", expected: "one of the two")
        }
        section.key = keyField.flatMap { $0.key(lengths: [32]) }
        section.keyFile = fileField.flatMap { $0.path() } ?? section.keyFile
        section.timeout = object.duration("timeout", default: section.timeout)
        section.staleAfter = object.duration("staleAfter", default: section.staleAfter)
        section.whenUnavailable = object.value("whenUnavailable", default: Stance.deny) { $0.choice(Stance.self) }
        object.finish()
        return section
    }
}
