import Bytes
import Foundation
import Testing

@testable import Configuration

/// What readers declare is what the schemas in `config` say; `SchemaCommandTests` looks at the reference and the issuers, too.
@Suite struct SectionFormTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config")
    private static let renewal: Comment = "renew with: portcullis schema config"

    @Test(arguments: SectionForm.all.map(\.name))
    func schema(_ name: String) throws {
        let section = try #require(SectionForm.all.first { $0.name == name })
        let file = Self.root.appending(path: "schema/\(name).schema.json")
        #expect(try Array(Data(contentsOf: file)) == section.schema, Self.renewal)
    }
}
