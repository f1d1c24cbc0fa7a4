import Foundation
import Testing

/// Code, messages, help and documents are in plain technical English: mechanisms are the subjects, and not people.
@Suite struct LanguageTests {
    private static func words() -> Regex<Substring> {
        /(?i)\b(?:whoever|nobody|somebody|anybody|whatever|(?:is|are|be) told|of before|of now)\b/
    }

    private static func violations(_ path: String, _ text: String) -> [String] {
        let words = words()
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            line.firstMatch(of: words).map { "\(path):\(index + 1): \($0.0)" }
        }
    }

    @Test("Sources name mechanisms in comments and messages")
    func sources() {
        #expect(SourceTree.sources.flatMap { Self.violations($0.path, $0.text) } == [])
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
        for path in paths { #expect(Self.violations(path, try SourceTree.text(path)) == []) }
    }
}
