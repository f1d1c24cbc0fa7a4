import Testing

/// Ids of requirements in comments and names of tests lead somewhere.
@Suite struct RequirementTests {
    private static let index = "Tests/requirements.md"

    private static func indexed() throws -> [String: Int] {
        let rows = try SourceTree.text(index).matches(of: /(?m)^\| ([A-Z]+-[0-9]{2}) \|/).map { String($0.1) }
        return Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Ids of the families that the index has.
    private static func cited(_ families: Set<Substring>) -> Set<String> {
        var ids: Set<String> = []
        for file in SourceTree.sources + SourceTree.tests {
            for match in file.text.matches(of: /\b([A-Z]{2,8})-[0-9]{2}\b/) where families.contains(match.1) {
                ids.insert(String(match.0))
            }
        }
        return ids
    }

    @Test("each id that is cited is in the index, once, and no other is")
    func idsResolve() throws {
        let index = try Self.indexed()
        #expect(index.count > 250)
        #expect(index.filter { $0.value > 1 }.isEmpty)
        let cited = Self.cited(Set(index.keys.compactMap { $0.split(separator: "-").first }))
        #expect(cited.subtracting(index.keys) == [], "cited and not in \(Self.index)")
        #expect(Set(index.keys).subtracting(cited) == [], "in \(Self.index) and not cited")
    }
}
