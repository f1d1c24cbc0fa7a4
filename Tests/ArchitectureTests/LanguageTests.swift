import Foundation
import Testing

/// Code, messages, help and documents are in plain technical English: mechanisms are the subjects, and not people.
@Suite struct LanguageTests {
    /// People in place of mechanisms, inverted order, and phrases that have to be decoded. The response about a wiped device
    /// ("Device is to be wiped") is one of Mobile & Social; "he" in quotes is a language tag.
    private static let words = #"""
        (?ix) \b (?: whoever | nobody | somebody | anybody | everybody | everyone | whatever | whom
        | (?<!")he(?!") | him | his | himself
        | (?:is|are|be|was|were)\ told | (?:is|are|was|were)\ to\ be\ (?!wiped\b) | to\ be\ had | (?:is|are)\ begun
        | speaks?\ for | makes?\ of | laid\ to | (?:is|are)\ there\ for | (?:come|comes|came)\ to\ nothing
        | lets?\ (?:\w+\ ){0,3} through | (?:why|whether|what|which),\ says | used\ wrongly | a\ word\ about
        | of\ before | of\ now | of\ development ) \b
        """#

    private let expression: NSRegularExpression
    private let titles: NSRegularExpression

    init() throws {
        // `Regex` takes fifteen times as long for all sources.
        expression = try NSRegularExpression(pattern: Self.words)
        titles = try NSRegularExpression(pattern: #"@(?:Test|Suite)\(\s*"(?:[^"\\\n]|\\.)*""#)
    }

    private func violations(_ path: String, _ text: String) -> [String] {
        expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
            guard let range = Range(match.range, in: text) else { return "\(path): \(match.range)" }
            let line = text[..<range.lowerBound].count { $0.isNewline } + 1
            return "\(path):\(line): \(text[range])"
        }
    }

    @Test("Sources name mechanisms in comments and messages")
    func sources() {
        #expect(SourceTree.sources.flatMap { violations($0.path, $0.text) } == [])
    }

    /// Comments and titles. Other literals of tests are data, such as the names of users.
    private func prose(_ file: SourceFile) -> String {
        var prose = Array(file.comments.utf8)
        for title in titles.matches(in: file.text, range: NSRange(file.text.startIndex..., in: file.text)) {
            guard let range = Range(title.range, in: file.text) else { continue }
            let start = file.text.utf8.distance(from: file.text.startIndex, to: range.lowerBound)
            let text = file.text[range].utf8
            prose.replaceSubrange(start..<(start + text.count), with: text)
        }
        return String(decoding: prose, as: UTF8.self)
    }

    @Test("comments and titles of tests name mechanisms")
    func tests() {
        #expect(SourceTree.tests.flatMap { violations($0.path, prose($0)) } == [])
    }

    @Test("comments and titles are the prose of a test")
    func proseOfTests() {
        let text = "// why\n@Test(\n\"it \\\"is\\\"\", arguments: [\"b\"]) let a = 1"
        let expected = "// why\n@Test(\n\"it \\\"is\\\"\""
        let file = SourceFile(path: "Tests/M/A.swift", text: text)
        #expect(prose(file) == expected + String(repeating: " ", count: text.count - expected.count))
    }

    @Test("documents name mechanisms")
    func documents() throws {
        var paths = ["README.md", "Tests/FEATURES.md", "Tests/Walkthrough.md"]
        for directory in ["config", "deploy"] {
            let files = FileManager.default.enumerator(atPath: SourceTree.root.appending(path: directory).path)
            paths += (files?.allObjects ?? []).compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }
                .map { "\(directory)/\($0)" }
        }
        #expect(paths.count > 20)
        for path in paths { #expect(violations(path, try SourceTree.text(path)) == []) }
    }

    @Test(
        "a phrase that has to be decoded is found",
        arguments: [
            ("Whoever is refused", "a:1: Whoever"), ("x\nWhy, says the log", "a:2: Why, says"),
            ("it is to be sent", "a:1: is to be "),
            ("lets who may through", "a:1: lets who may through"), ("// he waits", "a:1: he"),
        ])
    func found(_ text: String, _ violation: String) {
        #expect(violations("a", text) == [violation])
    }

    @Test(
        "words that only look alike are not found",
        arguments: ["the others", "Device is to be wiped", "themself", "history"])
    func notFound(_ text: String) {
        #expect(violations("a", text) == [])
    }
}
