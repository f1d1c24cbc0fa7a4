import Bytes
import Testing

@Suite struct ExactTextTests {
    @Test("what only looks alike to Swift is distinguished")
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

    @Test("texts of one length are compared by their bytes, long and short")
    func exactly() {
        for text in ["", "K", "fifteen letters", "a name that is longer than fifteen bytes", "e\u{301}"] {
            #expect(text.isExactly(String(Array(text))))
            #expect(!text.isExactly(text + "x"))
            #expect(!(text + "x").isExactly(text + "y"))
        }
        #expect(!"\u{212A}".isExactly("K"))
    }

    @Test("a key of a table")
    func table() {
        let table = [ExactText("K"): 1, ExactText("\u{212A}"): 2]
        #expect(table[ExactText("K")] == 1)
        #expect(table[ExactText("\u{212A}")] == 2)
        #expect(table[ExactText("k")] == nil)
    }

    /// A string's own hash is that of its normal form. Its marks would be sorted, in a time that grows with the square of
    /// their number, and all orders of them would have one hash.
    @Test("names of combining marks are hashed like others", .timeLimit(.minutes(1)))
    func marks() {
        let marks = ["\u{345}", "\u{301}", "\u{316}", "\u{327}"]
        let long = "a" + marks.map { String(repeating: $0, count: 200_000) }.joined()
        var names: Set<ExactText> = [ExactText(long)]
        #expect(names.contains(ExactText(long)))
        for i in 0..<4096 {
            let order = (0..<6).map { marks[i >> ($0 * 2) & 3] }.joined()
            names.insert(ExactText("b" + order))
        }
        #expect(names.count == 4097)
    }
}
