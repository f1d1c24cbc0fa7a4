import Testing

/// The tables of features and of threats name tests that exist.
@Suite struct FeatureTests {
    private struct Feature {
        let name: String
        let state: String
        /// `Suite/function` of each test in the last cell.
        let tests: [String]
    }

    private static let table = "Tests/FEATURES.md"

    private static func features() throws -> [Feature] {
        try SourceTree.text(table).split(separator: "\n").compactMap { line in
            guard let row = line.wholeMatch(of: /\| (.+) \| (.+) \| (\w+) \| (.*) \|/), row.3 != "State" else {
                return nil
            }
            return Feature(name: String(row.1), state: String(row.3), tests: namedTests(row.4))
        }
    }

    private static func namedTests(_ text: Substring) -> [String] {
        text.matches(of: /`(\w+Tests\/\w+)`/).map { String($0.1) }
    }

    /// `Suite/function` of all tests. Suites of several targets may have the same name.
    private static func tests() -> Set<String> {
        var found: Set<String> = []
        for file in SourceTree.tests {
            var suite = ""
            var isTest = false
            for line in file.codeLines {
                // Few lines are of interest, and a regular expression is slow.
                let words = line.split(separator: " ")
                if let kind = words.firstIndex(where: { $0 == "struct" || $0 == "class" || $0 == "extension" }) {
                    let name = words[(kind + 1)...].first?.prefix { $0.isLetter || $0.isNumber } ?? ""
                    if name.hasSuffix("Tests") { suite = String(name) }
                }
                isTest = isTest || words.contains { $0.hasPrefix("@Test") }
                guard isTest, let match = line.firstMatch(of: /\bfunc (\w+)/) else { continue }
                found.insert("\(suite)/\(match.1)")
                isTest = false
            }
        }
        return found
    }

    @Test("every test that the table of features names exists")
    func namedTestsExist() throws {
        let features = try Self.features()
        #expect(features.count > 100)
        let tests = Self.tests()
        for feature in features {
            #expect(["yes", "part", "no"].contains(feature.state), "\(feature.name): \(feature.state)")
            #expect((feature.state == "no") == feature.tests.isEmpty, "\(feature.name): tests of \(feature.state)")
            #expect(Set(feature.tests).subtracting(tests) == [], "\(feature.name)")
        }
    }

    @Test("each defence of the threat model names tests, which exist")
    func threats() throws {
        let text = try SourceTree.text("deploy/docs/threat-model.md")
        let table = try #require(text.firstRange(of: "| Attack |"))
        let rows = text[table.lowerBound...].split(separator: "\n").dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(rows.count > 15)
        let tests = Self.tests()
        for row in rows {
            let named = Self.namedTests(row)
            #expect(!named.isEmpty && tests.isSuperset(of: named), "\(row)")
        }
    }

    @Test("the counts below the table are those of its rows")
    func countsAreRight() throws {
        let features = try Self.features()
        let last = try SourceTree.text(Self.table).split(separator: "\n").last
        let counts = ["yes", "part", "no"].map { state in "\(features.count { $0.state == state }) \(state)" }
        #expect(last.map(String.init) == "Of \(features.count) features: \(counts.joined(separator: ", ")).")
    }
}
