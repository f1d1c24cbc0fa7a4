import Testing

/// Functions that can be read at a glance, and calls that say what their arguments are.
@Suite struct FunctionTests {
    private struct Place {
        let file: SourceFile
        let function: FunctionIndex.Function

        /// By the name alone: lines move.
        var name: String { "\(file.path) \(function.name)" }
        var description: String { "\(file.path):\(function.line): \(function.name)" }
    }

    private static let places: [Place] = SourceTree.sources.flatMap { file in
        FunctionIndex(file).functions.map { Place(file: file, function: $0) }
    }

    private static let unlabelledPlaces = places.filter { $0.function.unlabelled > 2 }

    /// Functions with more than two parameters without labels.
    static let unlabelled = unlabelledPlaces.count
    static let long = places.count { $0.function.lineCount > Ceilings.longestFunction }

    @Test("few functions take more than two arguments without labels")
    func arguments() {
        Ceilings.expect(
            "functions with more than two unlabelled parameters", Self.unlabelled, is: Ceilings.unlabelled,
            offenders: Self.unlabelledPlaces.map(\.description))
    }

    @Test("functions are short")
    func lengths() {
        let long = Self.places.filter { $0.function.lineCount > Ceilings.longestFunction }
        for place in long where Ceilings.longFunctions[place.name] == nil {
            Issue.record("\(place.description) has \(place.function.lineCount) lines")
        }
        for (name, listed) in Ceilings.longFunctions {
            let lines = long.filter { $0.name == name }.map(\.function.lineCount).max() ?? 0
            #expect(lines > 0, "\(name) need not be listed")
            Ceilings.expect("lines of \(name)", lines, is: listed.lines, offenders: [])
        }
    }

    @Test func functionsAreFound() {
        let text = """
            struct A {
                init(_ a: Int, b: Int) {}
                package func c<T>(
                    _ d: T, _ e: (Int, _ f: Int) -> Void, with _: Int, _ g: [Int] = [1, 2]
                ) -> Int
                where T: Sendable {
                    let h = A.init(1, b: 2)

                    return i(h, 1, 2, 3)
                }
                func j(_: Int, _ k: Int)
            }
            """
        let found = FunctionIndex(SourceFile(path: "Sources/M/A.swift", text: text)).functions
        #expect(found.map(\.name) == ["init", "c", "j"])
        #expect(found.map(\.line) == [2, 3, 11])
        #expect(found.map(\.lineCount) == [1, 8, 1])
        #expect(found.map(\.unlabelled) == [1, 3, 1])
    }
}
