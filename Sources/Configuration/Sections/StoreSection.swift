/// Where tokens and sessions are kept (DEC-10).
package struct StoreSection: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// In the process, and gone with it.
        case memory
    }

    package var kind = Kind.memory

    static func read(_ field: Field) -> StoreSection? {
        var object = field.object("an object")
        let kind = object.value("kind", default: Kind.memory) { $0.choice(Kind.self) }
        object.finish()
        return StoreSection(kind: kind)
    }
}
