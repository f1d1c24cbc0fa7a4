import Bytes
import Testing

@Suite struct ExactTextTests {
    @Test("what only looks alike to Swift is told apart")
    func comparison() {
        #expect("\u{212A}elvin" == "Kelvin" as String || "\u{212A}" == "K" as String)
        #expect(ExactText("\u{212A}") != ExactText("K"))
        #expect("e\u{301}" == "\u{e9}" as String)
        #expect(ExactText("e\u{301}") != ExactText("\u{e9}"))
        // Marks in another order, of the same length.
        #expect("a\u{316}\u{301}" == "a\u{301}\u{316}" as String)
        #expect(ExactText("a\u{316}\u{301}") != ExactText("a\u{301}\u{316}"))
        let long = "a name that is longer than fifteen bytes"
        #expect(ExactText(long) == ExactText(String(Array(long))))
    }

    @Test("a key of a table")
    func table() {
        let table = [ExactText("K"): 1, ExactText("\u{212A}"): 2]
        #expect(table[ExactText("K")] == 1)
        #expect(table[ExactText("\u{212A}")] == 2)
        #expect(table[ExactText("k")] == nil)
    }
}
