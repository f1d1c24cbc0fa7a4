/// Files that the configuration names and that are below its directory.
package enum OwnFile {
    package static var form: Form { .pattern("^[^/]") }

    /// The contents of the file that a value names.
    package static func contents(_ field: Field) -> [UInt8]? {
        let expected = "the name of a file below the directory of the configuration"
        guard let name = field.name(expected) else { return nil }
        guard !name.hasPrefix("/"), !name.split(separator: "/").contains("..") else { return field.invalid(expected) }
        return field.contents(of: field.findings.path(of: name))
    }
}
