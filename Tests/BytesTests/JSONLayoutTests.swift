import Bytes
import Testing

/// JWT-02: one line and back.
@Suite struct JSONLayoutTests {
    private static let text = """
        {
            "b": 1.50e+2,
            "a": [
                "x, y: {z}\\u00e9\\"",
                [],
                {},
                [
                    null
                ]
            ],
            "Ä": true
        }
        """

    @Test func oneLineAndBack() throws {
        let bytes = Array(Self.text.utf8)
        let line = try JSONLayout.flattened(bytes)
        #expect(!line.contains(ASCII.lineFeed))
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"b": 1.50e+2, "a": ["x, y: {z}\u00e9\"", [], {}, [null]], "Ä": true}"#)
        #expect(try JSONLayout.indented(line) == bytes)
        #expect(try JSONLayout.indented(bytes) == bytes)
        #expect(try JSONLayout.flattened(line) == line)
    }

    @Test(arguments: [#""x""#, "7", "[ ]", "{ }", " [ 1 , 2 ] "])
    func smallTexts(_ text: String) throws {
        let line = try JSONLayout.flattened(Array(text.utf8))
        #expect(try JSONLayout.flattened(try JSONLayout.indented(line)) == line)
        #expect(!line.contains(ASCII.lineFeed))
    }

    @Test(arguments: ["", "{", "{'a': 1}", "[1,]", #"{"a":1,"a":2}"#])
    func otherTextsAreRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSONLayout.flattened(Array(text.utf8)) }
    }
}
