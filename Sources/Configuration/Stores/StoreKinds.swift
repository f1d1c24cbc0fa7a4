/// The list of kinds of stores.
package enum StoreKinds {
    package static let all: [any StoreEntry.Type] = [SQLiteEntry.self, RedisEntry.self, MemoryEntry.self]

    /// The names of some kinds, for messages.
    package static func names(where isMeant: (StoreSharing) -> Bool) -> String {
        all.filter { isMeant($0.sharing) }.map { $0.kind }.joined(separator: " or ")
    }
}
