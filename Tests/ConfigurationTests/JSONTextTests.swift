import Bytes
import Configuration
import Testing

/// Changes to texts that people edit: what is meant changes, and nothing else does.
@Suite struct JSONTextTests {
    private func edited(_ text: String, _ edit: (inout JSONText) -> Void) throws -> String {
        var json = try JSONText(Array(text.utf8))
        edit(&json)
        #expect(json.root == (try JSONNode.parse(json.bytes.span)))
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test(
        "set: a member that is there gets its value, and the blanks around it stay",
        arguments: [
            (#"{ "a" :  1 , "b": [ 2 ] }"#, #"{ "a" :  "x" , "b": [ 2 ] }"#),
            (#"{"b":{"a":3},"a":{"c":"}"}}"#, #"{"b":{"a":3},"a":"x"}"#),
            ("{\n\t\"a\": \"q\\\"]\"\n}", "{\n\t\"a\": \"x\"\n}"),
            (#"{"a":[[],{}]  }"#, #"{"a":"x"  }"#),
        ])
    func replaces(_ before: String, _ after: String) throws {
        #expect(try edited(before) { $0.set("a", of: [], to: .text("x")) } == after)
    }

    @Test(
        "set: a new member stands behind the last, in its form",
        arguments: [
            ("{}\n", "{\n  \"n\": true\n}\n"),
            (#"{"a": 1}"#, #"{"a": 1, "n": true}"#),
            ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"n\": true\n}\n"),
            ("{\r\n\t\"a\": [\r\n\t]\r\n}", "{\r\n\t\"a\": [\r\n\t],\r\n\t\"n\": true\r\n}"),
            ("{ \"$schema\": \"x\",\n  \"a\": {} }", "{ \"$schema\": \"x\",\n  \"a\": {},\n  \"n\": true }"),
        ])
    func adds(_ before: String, _ after: String) throws {
        #expect(try edited(before) { $0.set("n", of: [], to: .flag(true)) } == after)
    }

    @Test(
        "remove: a member goes with its comma, the first, the last and the only one",
        arguments: [
            (#"{"a": 1, "b": 2, "c": 3}"#, "a", #"{"b": 2, "c": 3}"#),
            (#"{"a": 1, "b": 2, "c": 3}"#, "b", #"{"a": 1, "c": 3}"#),
            (#"{"a": 1, "b": 2, "c": 3}"#, "c", #"{"a": 1, "b": 2}"#),
            ("{\n  \"a\": 1,\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}"),
            ("{\n  \"a\": 1,\n  \"b\": 2\n}", "b", "{\n  \"a\": 1\n}"),
            ("{\n  \"a\": 1\n}", "a", "{}"),
            ("{\n  \"a\": 1\n}", "A", "{\n  \"a\": 1\n}"),
        ])
    func removes(_ before: String, _ name: String, _ after: String) throws {
        #expect(try edited(before) { $0.remove([.member(name)]) } == after)
    }

    @Test("append and remove: elements, in the form of their neighbours, inside of a larger file too")
    func elements() throws {
        let before = "{\n  \"users\": [\n    {\"username\": \"a\"}\n  ],\n  \"x\": []\n}\n"
        let user = JSONNode.object([("username", .text("b")), ("roles", .texts(["A", "B"]))])
        let one = try edited(before) { $0.append([user], to: [.member("users")]) }
        #expect(
            one
                == before.replacing(
                    "{\"username\": \"a\"}\n",
                    with: "{\"username\": \"a\"},\n    {\"username\": \"b\", \"roles\": [\"A\", \"B\"]}\n"))
        #expect(try edited(one) { $0.remove([.member("users"), .element(1)]) } == before)
        let inner = try edited(before) { $0.append([user], to: [.member("x")]) }
        #expect(
            inner.hasSuffix(
                "\"x\": [\n    {\n      \"username\": \"b\",\n      \"roles\": [\"A\", \"B\"]\n    }\n  ]\n}\n"))
        #expect(try edited("[]") { $0.append([.text("a"), .text("b")], to: []) } == #"["a", "b"]"#)
        #expect(try edited(#"["é"]"#) { $0.append([.text("\u{1}\"")], to: []) } == #"["é", "\u0001\""]"#)
    }

    @Test("what is not there is not changed")
    func nothing() throws {
        let text = #"{"a": [1], "b": "x"}"#
        #expect(try edited(text) { $0.remove([.member("a"), .element(1)]) } == text)
        #expect(try edited(text) { $0.remove([.member("b"), .member("c")]) } == text)
        #expect(try edited(text) { $0.set("c", of: [.member("a")], to: .flag(true)) } == text)
        #expect(try edited(text) { $0.append([.flag(true)], to: [.member("b")]) } == text)
        #expect(try edited(text) { $0.append([], to: [.member("a")]) } == text)
        #expect(throws: JSONError.self) { _ = try JSONText(Array(#"{"a": 1, "a": 2}"#.utf8)) }
    }

    @Test("a section is found in its own file and in gateway.json")
    func sections() throws {
        var own = try SectionText(file: "realms.json", bytes: Array("[ \"A\" ]\n".utf8), section: "realms")
        var inline = try SectionText(
            file: "gateway.json", bytes: Array("{ \"realms\": [ \"A\" ] }\n".utf8), section: "realms")
        #expect(own.root.array == own.node(at: [])?.array)
        #expect(Array(own.section) == Array(inline.section))
        own.append([.text("B")])
        inline.append([.text("B")])
        #expect(String(decoding: own.bytes, as: UTF8.self) == "[ \"A\", \"B\" ]\n")
        #expect(String(decoding: inline.bytes, as: UTF8.self) == "{ \"realms\": [ \"A\", \"B\" ] }\n")
        #expect(Array(own.section) == Array(inline.section))
    }

    @Test("random changes to random texts come to what they do to the values")
    func random() throws {
        var numbers = SystemRandomNumberGenerator()
        func value(_ depth: Int) -> JSONNode {
            switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &numbers) {
            case 0: return .text(["", "a\\", "\"]},{", "é\n"].randomElement(using: &numbers) ?? "")
            case 1: return .number(Int64.random(in: -9...9, using: &numbers))
            case 2: return .flag(Bool.random(using: &numbers))
            case 3: return JSONNode(.null)
            case 4: return JSONNode(.array((0..<Int.random(in: 0..<4, using: &numbers)).map { _ in value(depth - 1) }))
            default:
                let names = ["a", "b", "c"].prefix(Int.random(in: 0..<4, using: &numbers))
                return .object(names.map { ($0, value(depth - 1)) })
            }
        }
        for _ in 0..<300 {
            let object = JSONNode.object([("list", JSONNode(.array([value(2)]))), ("x", value(2)), ("y", value(1))])
            var json = try JSONText(Array("{}".utf8))
            for member in object.members ?? [] { json.set(member.name, of: [], to: member.node) }
            #expect(plain(json.root) == plain(object))
            let fresh = value(2)
            json.append([fresh, fresh], to: [.member("list")])
            #expect(json.root["list"]?.array?.count == 3)
            #expect(json.root["list"]?.array?.last.map(plain) == plain(fresh))
            let other = value(1)
            json.replace([.member("list"), .element(1)], with: other)
            #expect(
                json.root["list"]?.array?.map(plain) == [
                    plain(object["list"]?.array?.first ?? other), plain(other), plain(fresh),
                ])
            json.remove([.member("list"), .element(Int.random(in: 0..<3, using: &numbers))])
            #expect(json.root["list"]?.array?.count == 2)
            json.remove([.member(["list", "x", "y"].randomElement(using: &numbers) ?? "x")])
            #expect(json.root.members?.count == 2)
        }
    }

    private func plain(_ node: JSONNode) -> String {
        var writer = JSONWriter()
        writer.value(node)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
