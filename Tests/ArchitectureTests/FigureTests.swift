import Foundation
import Testing

/// The figures by which the structure of the sources is measured. `deploy/figures` prints them.
@Suite struct FigureTests {
    struct Figure {
        let name: String
        let value: Int
        /// The most that the test accepts; nil where another test has the limit.
        let most: Int?
    }

    @Test("the structure stays within its figures")
    func figures() throws {
        let figures = FigureTests.structure + FigureTests.repetition + FigureTests.size
        for figure in figures {
            if let most = figure.most { #expect(figure.value <= most, "\(figure.name): \(figure.value)") }
        }
        guard let path = ProcessInfo.processInfo.environment["PORTCULLIS_FIGURES"] else { return }
        let lines = figures.map {
            "\(String(repeating: " ", count: max(0, 8 - "\($0.value)".count)))\($0.value)  \($0.name)\n"
        }
        try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func lines(_ files: [SourceFile]) -> Int { files.reduce(0) { $0 + $1.lineCount } }

    private static func sources(_ prefix: String) -> [SourceFile] {
        SourceTree.sources.filter { $0.path.hasPrefix("Sources/\(prefix)") }
    }

    /// Occurrences in code, comments and literals left out.
    private static func count(_ pattern: Regex<Substring>, in files: [SourceFile]) -> Int {
        files.reduce(0) { $0 + $1.code.matches(of: pattern).count }
    }

    private static var structure: [Figure] {
        let index = TypeIndex.sources
        let cycles = index.cycles(SourceTree.sources)
        let gateway = cycles.filter { $0[0].hasPrefix("Sources/Gateway/") }.map(\.count).max() ?? 1
        let longest = cycles.map(\.count).max() ?? 1
        let exchange = sources("Gateway/")
        return [
            Figure(name: "members of Worker", value: index.types["Gateway.Worker"]?.members ?? 0, most: nil),
            Figure(name: "files of Worker", value: index.types["Gateway.Worker"]?.files.count ?? 0, most: 1),
            Figure(name: "members of Exchange", value: index.types["Gateway.Exchange"]?.members ?? 0, most: nil),
            Figure(
                name: "files that assign the stage of an exchange",
                value: exchange.filter { $0.code.contains(/\.stage =\s/) }.count, most: 0),
            Figure(name: "files in the longest cycle of Gateway", value: gateway, most: nil),
            Figure(name: "files in the longest cycle", value: longest, most: TypeTests.longestCycle),
            Figure(name: "types over 60 members or 8 files", value: TypeTests.largeTypes.count, most: nil),
        ]
    }

    private static var repetition: [Figure] {
        let outsidePolicy = SourceTree.sources.filter { $0.module != "Policy" }
        let steps = /\b(?:screenOrigin|ReadingConflict\.find|refusesClaims)\(/
        var places: [String: Set<String>] = [:]
        for (name, entry) in TypeIndex.sources.types where entry.isDeclared && name.count(where: { $0 == "." }) == 1 {
            let parts = name.split(separator: ".")
            places[String(parts[1]), default: []].insert(String(parts[0]))
        }
        return [
            Figure(name: "steps of the decision taken outside Policy", value: count(steps, in: outsidePolicy), most: 0),
            Figure(
                name: "names of types declared in two targets", value: places.values.filter { $0.count > 1 }.count,
                most: nil),
            Figure(name: "literals of reasons", value: count(/reason: "/, in: SourceTree.sources), most: 0),
            Figure(
                name: "questions which engine is at work", value: count(/if (?:let )?ring\b/, in: sources("Reactor/")),
                most: 0),
            Figure(
                name: "circuit breakers",
                value: TypeIndex.sources.types.keys.filter { $0.hasSuffix("CircuitBreaker") }.count, most: 1),
        ]
    }

    private static var size: [Figure] {
        let targets = SourceTree.modules.map { module in
            Figure(name: "lines of \(module)", value: lines(sources("\(module)/")), most: nil)
        }
        return [
            Figure(name: "lines of the assembly", value: lines(sources("portcullis/Assembly/")), most: nil)
        ] + targets + [Figure(name: "lines of Sources", value: lines(SourceTree.sources), most: nil)]
    }
}
