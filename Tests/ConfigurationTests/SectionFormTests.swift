import Bytes
import Declaration
import Foundation
import Model
import Testing

@testable import Configuration

/// What readers declare is what the schemas in `config` say; `SchemaCommandTests` looks at the reference and the issuers, too.
@Suite struct SectionFormTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config")
    private static let renewal: Comment = "renew with: portcullis schema config"

    /// Computed, since leak checkers do not see the pointers of indirect cases in globals.
    private static var sections: [SectionForm] { SectionForm.all(Families.sections) }

    @Test(arguments: sections.map(\.name))
    func schema(_ name: String) throws {
        let section = try #require(Self.sections.first { $0.name == name })
        let file = Self.root.appending(path: "schema/\(name).schema.json")
        #expect(try Array(Data(contentsOf: file)) == section.schema, Self.renewal)
    }

    @Test("a section that the program is built without may be empty")
    func absent() throws {
        for (file, text, isEmpty) in [
            ("serviceDomains", "{}", true), ("serviceDomains", #"{"$schema": "x"}"#, true),
            ("applications", "[]", true), ("applications", #"{"$schema": "x", "applications": []}"#, true),
            ("serviceDomains", #"{"Shop": {}}"#, false), ("applications", "[{}]", false), ("applications", "7", false),
        ] {
            let directory = try ConfigurationDirectory(["\(file).json": text])
            let errors = directory.load(extensions: [.absent("serviceDomains"), .absent("applications")]).lines(.error)
            #expect(errors.isEmpty == isEmpty, "\(text): \(errors)")
        }
    }

    @Test("RFC 8259: no object of a schema has a name twice, and constraints of one name all apply")
    func duplicates() throws {
        for section in Self.sections { _ = try JSONNode.parse(section.schema.span) }
        var members = [JSONMember.required("a"), KeyRule.exactlyOne(of: "a", "b").schema[0], .needs("a", for: ["c"])]
        members.constrain([
            .required("a", "d"), KeyRule.exactlyOne(of: "e", "f").schema[0], .needs("b", for: ["c"]),
            .needs("a", for: ["g"]),
        ])
        #expect(
            String(decoding: JSONNode(.object(members)).serialized, as: UTF8.self)
                == #"{"required":["a","d"],"oneOf":[{"required":["a"]},{"required":["b"]}],"#
                + #""dependentRequired":{"c":["a","b"],"g":["a"]},"#
                + #""allOf":[{"oneOf":[{"required":["e"]},{"required":["f"]}]}]}"#)
    }
}
