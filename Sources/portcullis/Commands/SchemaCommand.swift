import Configuration
import Foundation
import Issuers
import Model
import Reactor

/// `portcullis schema`: what configuration files may say.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "write the JSON Schemas and the reference of the configuration"
    static let help = """
        usage: portcullis schema DIR
               portcullis schema --reasons

        Writes DIR/schema/SECTION.schema.json for each section of the configuration, and DIR/reference.md with a table
        of its keys. Files that are there are replaced. Editors use the schemas by "$schema".

          --reasons  print the tables of all reason codes, in Markdown, instead
        """

    /// All sections that say what they look like.
    private static var sections: [SectionForm] {
        SectionForm.all + [.issuers(Assembly.issuerModules.map { ([$0.kind] + $0.aliases, $0.form) })]
    }

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: [], flags: ["--reasons"])
        if arguments.has("--reasons") { return Terminal.print(Reason.reference) }
        guard let directory = arguments.positional.first, arguments.positional.count == 1 else {
            throw Arguments.complaint("one directory is written to: schema DIR")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/schema", withIntermediateDirectories: true)
        } catch {
            Terminal.complain("portcullis: cannot write \(directory): \(error.localizedDescription)")
            throw .failed
        }
        for section in sections {
            try write(section.schema, to: "\(directory)/schema/\(section.name).schema.json")
        }
        try write(Array(SectionForm.reference(of: sections).utf8), to: "\(directory)/reference.md")
        Terminal.print("\(directory): \(sections.count) schemas and reference.md")
    }

    private static func write(_ text: [UInt8], to path: String) throws(ExitStatus) {
        do throws(KernelError) {
            let draft = try FileDraft(of: path)
            try draft.write(text)
            try draft.allow(0o644)
            try draft.replace()
        } catch {
            Terminal.complain("portcullis: cannot write \(path): \(error.text)")
            throw .failed
        }
    }
}
