import Testing

/// What a change of one file compiles again: its target, and those that import it, directly or not.
@Suite struct RebuildTests {
    /// A target, and those that import it, directly or not.
    private static func dependents(of target: String, _ imports: [String: Set<String>]) -> Set<String> {
        var found: Set = [target]
        while true {
            let more = imports.filter { !found.contains($0.key) && !found.isDisjoint(with: $0.value) }.keys
            if more.isEmpty { return found }
            found.formUnion(more)
        }
    }

    /// The lines of Sources, in percent, that a new line in one of these files compiles again, on average over the lines
    /// that match.
    ///
    /// - Parameters:
    ///   - also: a target that changes with it.
    private static func share(
        of pattern: Regex<Substring>, in files: [SourceFile], also: String? = nil
    ) -> Int {
        let lines = Dictionary(grouping: SourceTree.sources, by: \.module).mapValues {
            $0.reduce(0) { $0 + $1.lineCount }
        }
        var (weighted, entries) = (0, 0)
        for file in files {
            let count = file.code.matches(of: pattern).count
            let changed = Set([file.module] + (also.map { [$0] } ?? []))
            let built = changed.reduce(into: Set<String>()) { $0.formUnion(dependents(of: $1, SourceTree.imports)) }
            weighted += count * built.reduce(0) { $0 + (lines[$1] ?? 0) }
            entries += count
        }
        let all = lines.values.reduce(0, +)
        return entries == 0 ? 100 : (100 * weighted + entries * all / 2) / (entries * all)
    }

    /// The files with entries of a type: those that declare it, or extend it alone.
    private static func files(of type: String) -> [SourceFile] {
        SourceTree.sources.filter { file in
            guard file.words.contains(type[...]) else { return false }
            return file.declarations.visible.contains(type) || file.declarations.extended == [type]
        }
    }

    static let figures: [FigureTests.Figure] = {
        let entry = /(?m)^    (?:package )?(?:case [a-z]|static let )/
        let value = /(?m)^ +(?:package )?(?:let|var) \w+(?:: |,)/
        // A setting is a value where it is used, and its declaration in Configuration.
        let settings = SourceTree.sources.filter { file in
            file.module != "Configuration" && file.module != "PortcullisClient"
                && file.path.contains(/(?:Settings|Limits|Rules?)\.swift$/)
        }
        let shares = [
            ("reason", share(of: /(?m)^    (?:package )?static var \w+: Reason \{/, in: SourceTree.sources)),
            ("page text", share(of: entry, in: files(of: "PageText"))),
            ("endpoint", share(of: entry, in: files(of: "EndpointDescriptor"))),
            ("setting", share(of: value, in: settings, also: "Configuration")),
        ]
        return shares.map { .init(name: "% of Sources that a new \($0.0) compiles again", value: $0.1, goal: 29) }
    }()

    @Test("what a new entry compiles again falls", arguments: zip(figures, Ceilings.rebuilt))
    func shares(_ figure: FigureTests.Figure, _ ceiling: Int) {
        Ceilings.expect(figure.name, figure.value, is: ceiling, slack: 3, offenders: [])
    }

    @Test func dependentsAreFoundOverOthers() {
        let imports: [String: Set<String>] = ["A": [], "B": ["A"], "C": ["B"], "D": ["E"], "E": []]
        #expect(Self.dependents(of: "A", imports) == ["A", "B", "C"])
        #expect(Self.dependents(of: "E", imports) == ["D", "E"])
    }
}
