import Configuration
import Testing

/// Comma-separated values by RFC 4180.
@Suite struct CSVTableTests {
    private func fields(_ text: String) throws -> [[String]] { try CSVTable(Array(text.utf8)).records.map(\.fields) }

    @Test(
        "records and fields",
        arguments: [
            ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
            ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
            ("\u{FEFF}a\r\nb", [["a"], ["b"]]),
            ("\"a,b\",\"c\"\"d\",\"\"", [["a,b", "c\"d", ""]]),
            ("a,,\n", [["a", "", ""]]),
            ("\n\r\na\n\n", [["a"]]),
            ("\"x\r\ny\",z\n", [["x\r\ny", "z"]]),
            (" a , b ", [[" a ", " b "]]),
            ("", []),
        ])
    func reads(_ text: String, _ expected: [[String]]) throws { #expect(try fields(text) == expected) }

    @Test("records know the line that they begin at")
    func lines() throws {
        let table = try CSVTable(Array("h\n\n\"a\nb\"\nc\n".utf8))
        #expect(table.records.map(\.line) == [1, 3, 5])
    }

    @Test(
        "what two readers could take differently is refused, with its line",
        arguments: [
            ("a\nb\"c", 2), ("\"a", 1), ("a\n\"b\nc", 2), ("\"a\"b", 1), ("a\rb", 1), ("a\n\"b\" ,c", 2),
        ])
    func refuses(_ text: String, _ line: Int) throws {
        do {
            _ = try CSVTable(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.line == line)
        }
    }

    @Test("what is not UTF-8 is refused")
    func notText() throws {
        do {
            _ = try CSVTable(Array("a\n".utf8) + [0xFF, 0x0A])
            Issue.record("it was read")
        } catch {
            #expect(error.line == 2 && error.message == "the text is not UTF-8")
        }
    }
}
