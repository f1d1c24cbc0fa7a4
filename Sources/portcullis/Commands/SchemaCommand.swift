import Bytes
import Configuration
import Declaration
import Identity
import Issuers
import LoginPages
import Reactor

/// `portcullis schema`: the JSON Schemas and the reference of configuration files.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "write the JSON Schemas and the reference of the configuration"
    static let help = """
        usage: portcullis schema DIR [--examples DIR]

        Writes DIR/schema/SECTION.schema.json for each section of the configuration, the reference as
        DIR/reference/*.md, and the texts of the gateway's pages as DIR/texts/LANGUAGE.json. Replaces existing files.
        Editors find a schema by "$schema". The page of the endpoints needs DIR/schema/openapi.json.

        --examples DIR  configuration whose values the reference shows as examples (default: no examples)
        """

    /// All sections with a declaration, those of the issuer modules included.
    private static var sections: [SectionForm] {
        SectionForm.all(CompatibilityFamilies.sections) + [
            .policies(authTokens: AssertionPolicy.form),
            .issuers(IssuerAssembly.modules.map { ([$0.kind] + $0.aliases, IssuerReader.form(of: $0)) }),
        ]
    }

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, of: self)
        let directory = arguments.positional[0]
        let examples = try examples(arguments["--examples"])
        for folder in ["schema", "reference", "texts"] {
            try ExitStatus.system(
                "cannot write \(directory)", try FileSystem.makeDirectory("\(directory)/\(folder)"))
        }
        for section in sections {
            try write(section.schema, to: "\(directory)/schema/\(section.name).schema.json")
        }
        let others = ReferencePages.others(endpoints: try endpoints(in: directory))
        let pages = ReferenceIndex(sections, others: others, examples: examples).files
        for page in pages { try write(Array(page.text.utf8), to: "\(directory)/reference/\(page.name)") }
        for file in PageLanguage.builtIn { try write(file.text, to: "\(directory)/texts/\(file.name)") }
        Terminal.print("\(directory): \(sections.count) schemas and \(pages.count) pages of the reference")
    }

    /// The OpenAPI document in a directory; nil if there is none.
    private static func endpoints(in directory: String) throws(ExitStatus) -> JSONNode? {
        let path = "\(directory)/schema/openapi.json"
        guard FileSystem.exists(path) else { return nil }
        let text = try FileText.named(path)
        do throws(JSONError) {
            return try JSONNode.parse(text, file: path)
        } catch {
            throw .failure("\(path): \(JSONProblem(error, in: text, file: path).text)")
        }
    }

    private static func examples(_ directory: String?) throws(ExitStatus) -> ReferenceExamples? {
        guard let directory else { return nil }
        do {
            return try ReferenceExamples(directory: directory, sections: sections.map(\.name))
        } catch let error as UnreadableFile {
            throw .failure(error.text)
        } catch {
            throw .failure("\(directory): \(error)")
        }
    }

    private static func write(_ text: [UInt8], to path: String) throws(ExitStatus) {
        try ExitStatus.system("cannot write \(path)", try AtomicFile.replace(path, with: text, mode: 0o644))
    }
}
