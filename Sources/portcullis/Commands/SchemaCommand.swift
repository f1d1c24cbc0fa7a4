import Configuration
import Foundation
import Issuers

/// `portcullis schema`: what configuration files may say.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "write the JSON Schemas and the reference of the configuration"
    static let help = """
        usage: portcullis schema DIR

        Writes DIR/schema/SECTION.schema.json for each section of the configuration, and DIR/reference.md with a table
        of its keys. Files that are there are replaced. Editors use the schemas by "$schema".
        """

    /// All sections that say what they look like.
    private static var sections: [SectionForm] {
        SectionForm.all + [.issuers(Assembly.issuerModules.map { ([$0.kind] + $0.aliases, $0.form) })]
    }

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: [], flags: [])
        guard let directory = arguments.positional.first, arguments.positional.count == 1 else {
            throw Arguments.complaint("one directory is written to: schema DIR")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/schema", withIntermediateDirectories: true)
            for section in sections {
                try Data(section.schema).write(to: URL(filePath: "\(directory)/schema/\(section.name).schema.json"))
            }
            try Data(SectionForm.reference(of: sections).utf8).write(to: URL(filePath: "\(directory)/reference.md"))
        } catch {
            Terminal.complain("portcullis: cannot write \(directory): \(error.localizedDescription)")
            throw .failed
        }
        Terminal.print("\(directory): \(sections.count) schemas and reference.md")
    }
}
