import Configuration
import Foundation
import Issuers
import Model
import Reactor

/// `portcullis schema`: the JSON Schemas and the reference of configuration files.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "write the JSON Schemas and the reference of the configuration"
    static let help = """
        usage: portcullis schema DIR
               portcullis schema --reasons

        Writes DIR/schema/SECTION.schema.json for each section of the configuration, and DIR/reference.md with a table
        of its keys. Replaces existing files. Editors find a schema by "$schema".

        --reasons  print the tables of all reason codes, in Markdown, instead
        """

    /// All sections with a declaration, those of the issuer modules included.
    private static var sections: [SectionForm] {
        SectionForm.all + [.issuers(Assembly.issuerModules.map { ([$0.kind] + $0.aliases, $0.form) })]
    }

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: [], flags: ["--reasons"])
        if arguments.has("--reasons") { return Terminal.print(Reason.reference) }
        guard let directory = arguments.positional.first, arguments.positional.count == 1 else {
            throw .misuse("expected one directory: schema DIR")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/schema", withIntermediateDirectories: true)
        } catch {
            throw .failure("cannot write \(directory): \(error.localizedDescription)")
        }
        for section in sections {
            try write(section.schema, to: "\(directory)/schema/\(section.name).schema.json")
        }
        try write(Array(SectionForm.reference(of: sections).utf8), to: "\(directory)/reference.md")
        Terminal.print("\(directory): \(sections.count) schemas and reference.md")
    }

    private static func write(_ text: [UInt8], to path: String) throws(ExitStatus) {
        do throws(KernelError) {
            let draft = try AtomicFile(of: path)
            try draft.write(text)
            try draft.allow(0o644)
            try draft.replace()
        } catch {
            throw .failure("cannot write \(path): \(error.text)")
        }
    }
}
