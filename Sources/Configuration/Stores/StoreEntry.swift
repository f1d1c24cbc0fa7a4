import Declaration

/// A kind of store, as the section `store` has it. The program opens what this describes.
package protocol StoreEntry: Sendable {
    /// The value of `kind`.
    static var kind: String { get }
    /// What `kind` means, for the reference: what follows its name and a colon.
    static var meaning: String { get }
    static var sharing: StoreSharing { get }
    /// The database that the process writes, and the key that names it; nil for none.
    var file: (key: String, path: String)? { get }

    /// Declares and reads the keys of the kind.
    /// - Returns: nil for a section of another kind, and after an error.
    static func read(_ object: inout ObjectReader, isChosen: Bool) -> Self?
}

extension StoreEntry {
    package var file: (key: String, path: String)? { nil }
}

/// Which processes have the records of a store.
package enum StoreSharing: Sendable {
    /// One process, and they end with it.
    case process
    /// Those of one machine.
    case machine
    /// Those of several machines, which reach a server.
    case machines
}
