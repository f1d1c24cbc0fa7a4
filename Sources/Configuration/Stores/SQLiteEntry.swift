import Bytes
import Declaration

/// A store in a file.
package struct SQLiteEntry: StoreEntry {
    package static let kind = "sqlite"
    package static let meaning = "a file"
    package static let sharing = StoreSharing.machine

    package var path: String
    package var file: (key: String, path: String)? { ("path", path) }

    package static func read(_ object: inout ObjectReader, isChosen: Bool) -> SQLiteEntry? {
        let standard = object.field.findings.path(of: "state/tokens.sqlite", isInput: false)
        let file = Shape(
            .text, write: { _ in .text("state/tokens.sqlite") },
            read: { field in field.name("a file name").map { field.findings.path(of: $0, isInput: false) } })
        let path = object.value(
            "path", file.atStart(), default: standard,
            "The file of `sqlite`, on a local disk. Processes of one machine may share it.")
        if isChosen { return SQLiteEntry(path: path) }
        // Not a rule between keys, since the default of `kind` differs between builds.
        for (name, field) in object.entries where name == "path" {
            field.error("only a store of the kind sqlite has a file", expected: "\"kind\": \"sqlite\"")
        }
        return nil
    }
}
