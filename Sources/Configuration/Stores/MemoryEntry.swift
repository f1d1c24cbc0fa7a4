import Declaration

/// A store in the memory of the process. It has no keys of its own.
package struct MemoryEntry: StoreEntry {
    package static let kind = "memory"
    package static let meaning = "lost at the end of the process"
    package static let sharing = StoreSharing.process

    package static func read(_ object: inout ObjectReader, isChosen: Bool) -> MemoryEntry? {
        isChosen ? MemoryEntry() : nil
    }
}
