import Bytes
import Testing

/// The test suite of nst/JSONTestSuite.
@Suite struct JSONConformanceTests {
    static let names = Fixtures.names(in: "json-nst").filter { $0.hasSuffix(".json") }
    /// RFC 8259 leaves duplicate names open ("should be unique"); here they are errors.
    static let duplicates = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]

    @Test func everyFileOfTheSetIsHere() {
        #expect(Self.names.count == 318)
    }

    @Test(arguments: names.filter { $0.hasPrefix("y_") && !duplicates.contains($0) })
    func valid(name: String) throws {
        let text = try Fixtures.bytes("json-nst", name)
        let node = try JSONNode.parse(text.span)
        // What is written from it is JSON too, and means the same.
        var writer = JSONWriter()
        writer.value(node)
        let again = try JSONNode.parse(writer.bytes.span)
        #expect(sameValue(again, node))
    }

    @Test(arguments: names.filter { $0.hasPrefix("n_") } + duplicates)
    func invalid(name: String) throws {
        let text = try Fixtures.bytes("json-nst", name)
        #expect(throws: JSONError.self) { _ = try JSONNode.parse(text.span) }
    }

    /// What the standard leaves open is either an error or a value, never a crash.
    @Test(arguments: names.filter { $0.hasPrefix("i_") })
    func implementationDefined(name: String) throws {
        let text = try Fixtures.bytes("json-nst", name)
        let refused =
            name.contains("UTF") || name.contains("utf") || name.contains("surrogate") || name.contains("BOM")
            || name.contains("invalid") || name.contains("1st") || name.contains("UCS") || name.contains("500_nested")
            || name.contains("lone") || name.contains("overlong") || name.contains("iso_latin")
            || name.contains("truncated") || name.contains("not_in_unicode") || name.contains("incomplete")
            || name.contains("inverted")
        let accepted = (try? JSONNode.parse(text.span)) != nil
        #expect(accepted == !refused)
    }
}

/// Equality of values; offsets don't count.
func sameValue(_ left: JSONNode, _ right: JSONNode) -> Bool {
    switch (left.value, right.value) {
    case (.array(let one), .array(let other)):
        return one.count == other.count && zip(one, other).allSatisfy { sameValue($0, $1) }
    case (.object(let one), .object(let other)):
        return one.count == other.count
            && zip(one, other).allSatisfy { $0.name.utf8.elementsEqual($1.name.utf8) && sameValue($0.node, $1.node) }
    default:
        return left.value == right.value
    }
}
