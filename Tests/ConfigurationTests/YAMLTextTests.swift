import Bytes
import Conversion
import Testing

/// The strict reader for YAML.
@Suite struct YAMLTextTests {
    private func json(_ text: String) throws -> String {
        String(decoding: try YAMLText.node(text, file: "a.yml").serialized, as: UTF8.self)
    }

    @Test(
        "blocks, brackets, quotes and comments are read",
        arguments: [
            ("a: 1\nb: x y # c\n", #"{"a":1,"b":"x y"}"#),
            ("---\n# c\na:\n  b:\n    c: true\n  d: ~\ne:\n", #"{"a":{"b":{"c":true},"d":null},"e":null}"#),
            ("a:\n- 1\n- 2\nb:\n  - x: 1\n    y: 2\n  - x: 3\n", #"{"a":[1,2],"b":[{"x":1,"y":2},{"x":3}]}"#),
            ("- - 1\n  - 2\n-\n  a: b\n- c\n", #"[[1,2],{"a":"b"},"c"]"#),
            ("a: [x, \"y, z\", 'it''s', {b: 1, \"c\": [2]}]\n", #"{"a":["x","y, z","it's",{"b":1,"c":[2]}]}"#),
            ("a: [\n  x, # first\n  y\n]\nb: 1\n".replacing("\n]", with: "\n  ]"), #"{"a":["x","y"],"b":1}"#),
            (
                "a: |\n  {\n    \"b\": 1\n  }\n\nc: |-\n  # no comment\n",
                ##"{"a":"{\n  \"b\": 1\n}\n","c":"# no comment"}"##
            ),
            ("a: >-\n  x\n  y\n", #"{"a":"x y"}"#),
            ("a: http://<127.0.0.1|localhost>:4455/x#y\n", #"{"a":"http://<127.0.0.1|localhost>:4455/x#y"}"#),
            ("\"a b\": \"c: \\\"d\\\" # e\"\r\n", #"{"a b":"c: \"d\" # e"}"#),
            ("a: v0.38.9\nb: 1.5\nc: 007\n", #"{"a":"v0.38.9","b":1.5,"c":"007"}"#),
            ("a: 1 # c\r\nb:\r\n  - x\r\n", #"{"a":1,"b":["x"]}"#),
            ("a: {b: c:d, \"e\":f}\n", #"{"a":{"b":"c:d","e":"f"}}"#),
            (#"[{"a": "b"}]"#, #"[{"a":"b"}]"#),
        ])
    func reads(_ text: String, _ expected: String) throws { #expect(try json(text) == expected) }

    @Test("values know where they stand")
    func offsets() throws {
        let text = "a:\n  - id: x\n  - id: y\n    b:\n      c: z\n"
        let list = try #require(try YAMLText.node(text, file: "a.yml")["a"]?.array)
        #expect(list.map { YAMLText.line(of: $0.offset, in: text) } == [2, 3])
        #expect(list[1]["b"].map { YAMLText.line(of: $0.offset, in: text) } == 5)
    }

    @Test(
        "what readers of YAML take differently, or few files have, is refused with its line",
        arguments: [
            ("a: &x 1\n", 1, "anchors"), ("a: 1\nb: *x\n", 2, "anchors"), ("a: !t x\n", 1, "anchors"),
            ("a:\n  <<: {b: 1}\n", 2, "merge"), ("a: yes\n", 1, "truth value"), ("a: [on]\n", 1, "truth value"),
            ("a: 1\na: 2\n", 2, "twice"), ("a: {b: 1, b: 2}\n", 1, "twice"), ("a:\n\tb: 1\n", 2, "tabs"),
            ("a: 1\n  b: 2\n", 2, "several lines"), ("a:\n    b: 1\n  c: 2\n", 3, "indentation"),
            ("a: 1\n---\nb: 2\n", 2, "one document"), ("a: |+\n  x\n", 1, "blocks"), ("a: [1\n", 1, "expected"),
            ("a: \"x\n", 1, "no end"), ("? a\n: b\n", 1, "complex"), ("a: b: c\n", 1, "needs quotes"),
            ("{\"a\": 1,}", 1, "JSON"), ("a: [{handler:noop}]\n", 1, "expected"),
            ("a: 1\n# x\u{85}b: 2\n", 2, "control"),
            (String(repeating: "- ", count: 20_000) + "a\n", 1, "levels"),
        ])
    func refuses(_ text: String, _ line: Int, _ message: String) {
        do {
            Issue.record("\(text) is \(try json(text))")
        } catch let error as ConversionFailure {
            #expect(error.place == "a.yml:\(line)" && error.message.contains(message), "\(error.text)")
        } catch {
            Issue.record(error)
        }
    }
}
