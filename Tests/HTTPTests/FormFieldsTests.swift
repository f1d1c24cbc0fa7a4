import Bytes
import Testing

@testable import HTTP

@Suite struct FormFieldsTests {
    private func parse(_ body: String) throws(FormError) -> FormFields {
        let bytes = body.bytes
        return try FormFields.parse(bytes.span)
    }

    @Test(
        "fields",
        arguments: [
            ("", [:]), ("&&", [:]), ("a=b", ["a": "b"]), ("a", ["a": ""]), ("a=", ["a": ""]), ("=b", ["": "b"]),
            ("a=b=c", ["a": "b=c"]),
            ("a=b&c=d", ["a": "b", "c": "d"]), ("a+b=c+d", ["a b": "c d"]), ("a%3D=%26%2B%25", ["a=": "&+%"]),
            ("n=%C3%A9%e2%82%ac", ["n": "\u{e9}\u{20ac}"]), ("a=\u{e9}", ["a": "\u{e9}"]), ("&a=b&", ["a": "b"]),
        ] as [(String, [String: String])])
    func fields(_ body: String, _ expected: [String: String]) throws {
        let form = try parse(body)
        #expect(Dictionary(form.fields.map { ($0.name, $0.value) }) { first, _ in first } == expected)
        for (name, value) in expected { #expect(form.first(name) == value) }
        #expect(form.repeatedName == nil)
    }

    @Test(
        "refused",
        arguments: [
            ("a=%", FormError.malformedEscape), ("a=%4", .malformedEscape), ("a=%zz", .malformedEscape),
            ("%=a", .malformedEscape),
            ("a=%4&b=1", .malformedEscape), ("a=%00", .nulByte), ("a\u{0}=b", .nulByte), ("a=%ff", .malformedText),
            ("a=%c0%ae", .malformedText),
            ("a=%c3", .malformedText), ("%ed%a0%80=a", .malformedText),
            ("a=" + String(repeating: "%cc%81", count: 31), .malformedText),
            (String(repeating: "%cc%81", count: 31) + "=a", .malformedText),
        ])
    func refused(_ body: String, _ error: FormError) {
        #expect(throws: error) { try parse(body) }
    }

    @Test("RFC 6749 3.2: repeated parameters are seen")
    func repeated() throws {
        let form = try parse("a=1&b=2&%61=3&c=4")
        #expect(form.isRepeated("a"))
        #expect(!form.isRepeated("b"))
        #expect(!form.isRepeated("z"))
        #expect(form.repeatedName == "a")
        #expect(form.first("a") == "1")
        #expect(form.first("z") == nil)
    }

    @Test func limits() throws {
        let many = (0..<128).map { "f\($0)=" }.joined(separator: "&")
        #expect(try parse(many).fields.count == 128)
        #expect(throws: FormError.tooManyFields) { try parse(many + "&x") }
        let large = "a=" + String(repeating: "x", count: FormFields.maximumBytes - 2)
        #expect(try parse(large).first("a")?.utf8.count == FormFields.maximumBytes - 2)
        #expect(throws: FormError.tooLarge) { try parse(large + "x") }
    }
}
