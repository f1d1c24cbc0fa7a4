import Model
import Synchronization
import Testing

/// What operators are shown of values from requests.
@Suite struct EvidenceTests {
    private final class Reads: Sendable { let count = Atomic(0) }

    @Test(
        "values are quoted; control characters, marks and invisible ones are escaped",
        arguments: [
            ("api", #""api""#), ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\u{1b}[2J", #""\u{1b}[2J""#),
            ("a\nb", #""a\u{a}b""#), ("a\u{202e}b", #""a\u{202e}b""#), ("a\u{301}", #""a\u{301}""#), ("ü€", #""ü€""#),
            ("\u{7f}", #""\u{7f}""#), ("\u{2028}", #""\u{2028}""#),
        ])
    func quoted(_ text: String, _ shown: String) { #expect(Evidence.quoted(text) == shown) }

    @Test(arguments: ["10.0.0.0/8", "192.0.2.7", "0.0.0.0/0", "2001:db8::/32", "::/0", "2001:db8::1"])
    func rangesOfAddressesAreShownAsTheyAreWritten(_ text: String) {
        #expect(IPAddressRange(text)?.description == text)
    }

    @Test func textIsMadeWhenItIsRead() {
        let reads = Reads()
        let evidence = Evidence(bytes: 7) {
            reads.count.add(1, ordering: .relaxed)
            return ["a", "b"]
        }
        #expect(evidence.bytes == 7 && reads.count.load(ordering: .relaxed) == 0)
        #expect(evidence.text == "a; b" && reads.count.load(ordering: .relaxed) == 1)
        #expect(Evidence(["abc", "de"]).bytes == 5)
    }

    @Test func valuesAndListsAreBounded() {
        let long = Evidence.quoted(String(repeating: "x", count: 121))
        #expect(long == "\"\(String(repeating: "x", count: 120))\"...")
        #expect(Evidence.list([String]()) == "none")
        #expect(Evidence.list((1...8).map { "\($0)" }).hasSuffix(#""8""#))
        #expect(Evidence.list((1...10).map { "\($0)" }).hasSuffix(#""8" and 2 more"#))
        let lines = [String](repeating: String(repeating: "y", count: 100), count: 20)
        #expect(Evidence(lines).text.utf8.count == Evidence.longestText + 3)
        #expect(Evidence(["a", "b"]).text == "a; b")
        // A character is not cut in two.
        let cut = Evidence([String(repeating: "a", count: Evidence.longestText - 1) + "€"]).text
        #expect(cut.hasSuffix("\u{fffd}...") || cut.hasSuffix("a..."))
    }
}
