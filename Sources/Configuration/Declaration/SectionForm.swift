import Bytes

/// What a file of the configuration looks like.
package struct SectionForm: Sendable {
    /// Of the section; the file is named after it.
    package let name: String
    package let meaning: String
    let form: Form

    /// Whether the file is a list, and not an object.
    var isList: Bool { if case .list = form { true } else { false } }

    /// What names of keys begin with in the reference.
    var prefix: String { if case .map = form { "NAME" } else { "" } }

    /// Its JSON Schema, indented.
    package var schema: [UInt8] {
        var writer = JSONWriter()
        writer.value(SchemaWriter.file(self))
        // The writer has written JSON.
        return ((try? JSONLayout.indented(writer.bytes, by: 2)) ?? writer.bytes) + [ASCII.lineFeed]
    }

    /// Its chapter of the reference.
    package var reference: String { ReferenceWriter.chapter(self) }

    /// All sections that say what they look like, in the order of the reference.
    package static let all: [SectionForm] = [
        SectionForm(
            name: "routes",
            meaning: "Parts of the API and who may call them. The longest match wins.",
            form: .list(RouteEntry.shape.form(), isUnique: false)),
        SectionForm(
            name: "webgates",
            meaning: "Groups of routes that are challenged alike.",
            form: .list(WebgateEntry.shape.form(), isUnique: false)),
    ]
}
