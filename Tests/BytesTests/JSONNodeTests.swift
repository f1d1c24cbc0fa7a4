import Bytes
import Testing

@Suite struct JSONNodeTests {
    private func parse(_ text: String, maximumDepth: Int = 64) throws(JSONError) -> JSONNode {
        try JSONNode.parse(Array(text.utf8).span, maximumDepth: maximumDepth)
    }

    @Test func valuesAndTheirOffsets() throws {
        let node = try parse(#"{ "a": [1, true, null], "b": {"c": "x\n\u00e9\ud83d\ude00"} }"#)
        #expect(node["a"]?.offset == 7)
        #expect(node["a"]?.array?.map(\.offset) == [8, 11, 17])
        #expect(node["a"]?.array?[0].integer == 1)
        #expect(node["a"]?.array?[1].bool == true)
        #expect(node["a"]?.array?[2].isNull == true)
        #expect(node["b"]?["c"]?.string == "x\né😀")
        #expect(node.members?.map(\.nameOffset) == [2, 24])
        #expect(node["missing"] == nil)
    }

    @Test(
        arguments: [
            ("1", 1), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func integers(text: String, value: Int64) throws {
        #expect(try parse(text).integer == value)
    }

    @Test(arguments: ["600.0", "6e2", "1E0", "9223372036854775808", "\"5\"", "true", "null"])
    func notIntegers(text: String) throws {
        #expect(try parse(text).integer == nil)
    }

    @Test func floatingPoint() throws {
        #expect(try parse("6.5e2").number == 650)
        #expect(try parse("1e400").number == nil)
        #expect(try parse("\"1\"").number == nil)
    }

    @Test(
        arguments: [
            (#"{"a":1,"a":2}"#, .duplicateName, 7),
            (#"{"a":1,"\u0061":2}"#, .duplicateName, 7),
            (#"[1,]"#, .unexpectedCharacter, 3),
            (#"{"a" 1}"#, .expectedColon, 5),
            (#"{"a":1 "b":2}"#, .expectedCommaOrEnd, 7),
            (#"{a:1}"#, .expectedName, 1),
            (#"{"a":1"#, .unexpectedEnd, 6),
            ("", .unexpectedEnd, 0),
            ("tru", .invalidLiteral, 0),
            ("[01]", .invalidNumber, 1),
            ("[+1]", .unexpectedCharacter, 1),
            ("[1.]", .invalidNumber, 1),
            ("\"a\tb\"", .controlCharacter, 2),
            (#""\x""#, .invalidEscape, 1),
            (#""\ud800""#, .loneSurrogate, 1),
            (#""\ud800\u0041""#, .loneSurrogate, 1),
            (#""\udc00""#, .loneSurrogate, 1),
            ("1 2", .trailingCharacters, 2),
            ("[\"a" + String(repeating: "\u{301}", count: 31) + "\"]", .tooManyMarks, 1),
            ("{\"" + String(repeating: #"\u0301"#, count: 31) + "\":1}", .tooManyMarks, 1),
            ("\u{FEFF}1", .byteOrderMark, 0), ("[\u{FEFF}1]", .unexpectedCharacter, 1),
        ] as [(String, JSONError.Kind, Int)])
    func errors(text: String, kind: JSONError.Kind, offset: Int) {
        #expect(throws: JSONError(kind: kind, offset: offset)) { _ = try parse(text) }
    }

    @Test func invalidUTF8() {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
            #expect(throws: JSONError(kind: .invalidUTF8, offset: 0)) { _ = try JSONNode.parse(bytes.span) }
        }
    }

    @Test func depth() throws {
        #expect(throws: Never.self) { _ = try parse("[[[1]]]", maximumDepth: 3) }
        #expect(throws: JSONError(kind: .tooDeep, offset: 3)) { _ = try parse("[[[[1]]]]", maximumDepth: 3) }
        let deep = String(repeating: "{\"a\":", count: 65)
        #expect(throws: JSONError(kind: .tooDeep, offset: 320)) { _ = try parse(deep) }
    }

    /// Names that only look or normalise alike are different names, and `sub` is found only as `sub`.
    @Test func namesAreComparedByteByByte() throws {
        let node = try parse("{\"\u{212A}\":1,\"K\":2,\"e\u{301}\":3,\"\u{E9}\":4}")
        #expect(node["K"]?.integer == 2)
        #expect(node["\u{E9}"]?.integer == 4)
    }

    @Test func manyNamesAreStillUnique() throws {
        let members = (0..<100).map { "\"n\($0)\":\($0)" }
        let node = try parse("{" + members.joined(separator: ",") + "}")
        #expect(node.members?.count == 100)
        for repeated in ["n0", "n15", "n16", "n99"] {
            let text = "{" + members.joined(separator: ",") + ",\"\(repeated)\":0}"
            #expect(throws: JSONError(kind: .duplicateName, offset: text.utf8.count - repeated.utf8.count - 5)) {
                _ = try parse(text)
            }
        }
    }
}

@Suite struct JSONWriterTests {
    @Test func everyKindOfValue() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("text", "a\"b\\c\n\r\t\u{1}\u{1F}é/")
        writer.member("number", -5)
        writer.member("flag", false)
        writer.name("none")
        writer.null()
        writer.member("list", ["x", "y"])
        writer.name("nested")
        writer.beginArray()
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.value(1)
        writer.endArray()
        writer.name("json")
        writer.value(json: Array("{\"a\":1}".utf8).span)
        writer.member("long", Int64.max)
        writer.endObject()
        let expected =
            #"{"text":"a\"b\\c\n\r\t\u0001\u001fé/","number":-5,"flag":false,"none":null,"list":["x","y"],"#
            + #""nested":[{},[],1],"json":{"a":1},"long":9223372036854775807}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        #expect(throws: Never.self) { _ = try JSONNode.parse(writer.bytes.span) }
    }
}
