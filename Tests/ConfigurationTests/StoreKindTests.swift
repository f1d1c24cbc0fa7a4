import Bytes
import Declaration
import Model
import Testing

@testable import Configuration

/// A kind of store is what its own file says of it, and a line in the list.
@Suite struct StoreKindTests {
    private struct SlateEntry: StoreEntry {
        static let kind = "slate"
        static let meaning = "wiped at night"
        static let sharing = StoreSharing.process

        let size: Int

        static func read(_ object: inout ObjectReader, isChosen: Bool) -> SlateEntry? {
            object.keys(with: .equals("kind", kind), because: "only a slate has this") { object in
                SlateEntry(size: object.value("size", .integer(1...9), default: 3, "Lines."))
            }
        }
    }

    private static let shape = Shape.object("a store") { object in
        StoreSection.read(&object, kinds: StoreKinds.all + [SlateEntry.self])
    }

    private func section(_ text: String) throws -> StoreSection? {
        let findings = Findings(sources: Sources(), directory: "/", production: false)
        let field = Field(node: try JSONNode.parse(text.utf8.span), pointer: "", findings: findings)
        let section = Self.shape.read(field)
        return findings.hasErrors ? nil : section
    }

    @Test("a further kind has its keys, in the messages and in the schema as well")
    func furtherKind() throws {
        let section = try #require(try section(#"{"kind": "slate", "size": 5, "timeout": "2s"}"#))
        #expect((section.entry as? SlateEntry)?.size == 5)
        #expect(section.kind.sharing == .process && section.timeout == .seconds(2))
        #expect(try (self.section(#"{"kind": "slate"}"#)?.entry as? SlateEntry)?.size == 3)
        for (text, message) in [
            (#"{"kind": "memory", "size": 5}"#, "/size: only a slate has this"),
            (#"{"kind": "slate", "url": "redis://127.0.0.1"}"#, "/url: only a store of the kind redis has this"),
            (#"{"kind": "slate", "path": "a"}"#, "/path: only a store of the kind sqlite has a file"),
            (#"{"kind": "slate", "size": 10}"#, "/size: out of range"),
        ] {
            #expect(KeyRuleTests.diagnostics(Self.shape, text).map { "\($0.pointer): \($0.message)" } == [message])
        }
        guard case .object(let form) = Self.shape.form() else { return #expect(Bool(false), "no object") }
        let kind = try #require(form.keys.first { $0.name == "kind" })
        #expect(kind.meaning.contains("`slate`: wiped at night.") && form.names.contains("size"))
    }

    @Test("each kind has a name of its own and reads a section that names it alone", arguments: StoreKinds.all.indices)
    func kinds(_ index: Int) throws {
        let kind = StoreKinds.all[index]
        #expect(StoreKinds.all.count { $0.kind == kind.kind } == 1)
        let url = kind.sharing == .machines ? #", "url": "redis://127.0.0.1""# : ""
        let entry = try #require(try section(#"{"kind": "\#(kind.kind)"\#(url)}"#)?.entry)
        #expect(type(of: entry) == kind)
    }
}
