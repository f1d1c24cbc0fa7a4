import Foundation
import Testing

/// The figures by which the structure of the sources is measured. `deploy/figures` prints them.
@Suite struct FigureTests {
    struct Figure {
        let name: String
        let value: Int
        /// Where the value should come to; nil where the value only informs.
        var goal: Int?
        /// The most that the test accepts; nil where another test has the limit.
        var most: Int?
    }

    @Test("the structure stays within its figures")
    func figures() throws {
        let figures = FigureTests.goals + FigureTests.structure + FigureTests.repetition + FigureTests.size
        for figure in figures {
            if let most = figure.most { #expect(figure.value <= most, "\(figure.name): \(figure.value)") }
        }
        guard let path = ProcessInfo.processInfo.environment["PORTCULLIS_FIGURES"] else { return }
        func column(_ value: Int?) -> String {
            let text = value.map(String.init) ?? ""
            return String(repeating: " ", count: max(0, 8 - text.count)) + text
        }
        let lines = figures.map { "\(column($0.value))\(column($0.goal))  \($0.name)\n" }
        try ("   today    goal\n" + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func lines(_ files: [SourceFile]) -> Int { files.reduce(0) { $0 + $1.lineCount } }

    private static func sources(_ prefix: String) -> [SourceFile] {
        SourceTree.sources.filter { $0.path.hasPrefix("Sources/\(prefix)") }
    }

    /// Occurrences in code, comments and literals left out.
    private static func count(_ pattern: Regex<Substring>, in files: [SourceFile]) -> Int {
        files.reduce(0) { $0 + $1.code.matches(of: pattern).count }
    }

    /// The folders that make up a part of the product, which lies in several targets.
    private static let logins = [
        "LoginPages/", "Compatibility/MobileSocial/", "Compatibility/SingleSignOn/", "OAuthServer/Clients/",
        "OAuthServer/Codes/", "OAuthServer/Devices/", "OAuthServer/OpenID/", "OAuthServer/Registration/",
        "Identity/Accounts/", "Identity/Browser/", "Identity/Logins/", "Identity/OAuth2/", "Identity/Providers/",
        "Model/Accounts/",
        "Model/Pages/",
    ]
    private static let conversion = ["Conversion/", "portcullis/Commands/Convert/"]
    private static let client = ["PortcullisClient/", "portcullis/Commands/Client/"]
    private static let configuration = [
        "Configuration/", "Declaration/", "Model/Settings/", "portcullis/Assembly/",
    ]

    @Test("the folders of the figures exist", arguments: logins + conversion + client + configuration)
    func folders(_ folder: String) {
        #expect(!FigureTests.sources(folder).isEmpty, "\(folder) is gone: name the folder that has its place")
    }

    private static func lines(of folders: [String]) -> Int { folders.reduce(0) { $0 + lines(sources($1)) } }

    private static var goals: [Figure] {
        let families = lines(sources("Compatibility/"))
        let conditional = sources("portcullis/").filter { file in
            file.codeLines.first { !$0.isEmpty && !$0.hasPrefix("import ") } == "#if Compatibility"
        }
        let all = lines(SourceTree.sources)
        return [
            Figure(name: "lines of login, sessions, clients", value: lines(of: logins), goal: 12_500),
            Figure(
                name: "lines of configuration, declarations, settings, assembly, without convert",
                value: lines(of: configuration), goal: 15_000),
            Figure(
                name: "lines of Sources without convert, the client library and its commands",
                value: all - lines(of: conversion + client), goal: 96_000),
            Figure(
                name: "lines built without the trait Compatibility", value: all - families - lines(conditional),
                goal: 85_000),
            Figure(name: "words of vendors in generic targets", value: VendorTests.total, goal: 40),
            Figure(
                name: "parts in the largest cycle of a target", value: TypeTests.cycles.values.map(\.count).max() ?? 1,
                goal: Ceilings.mostInCycle),
            Figure(
                name: "functions with more than two unlabelled parameters", value: FunctionTests.unlabelled, goal: 0),
            Figure(name: "functions of 60 lines and more", value: FunctionTests.long, goal: 0),
        ]
            + KindTests.kinds.map { kind in
                Figure(
                    name: "other files that name a kind: \(kind.testDescription)",
                    value: KindTests.outsiders(of: kind).count,
                    goal: 0)
            } + RebuildTests.figures
    }

    private static var structure: [Figure] {
        let index = TypeIndex.sources
        let exchange = sources("Gateway/")
        return [
            Figure(name: "members of Worker", value: index.types["Gateway.Worker"]?.members ?? 0),
            Figure(name: "files of Worker", value: index.types["Gateway.Worker"]?.files.count ?? 0, most: 1),
            Figure(name: "members of Exchange", value: index.types["Gateway.Exchange"]?.members ?? 0),
            Figure(
                name: "files that assign the stage of an exchange",
                value: exchange.filter { $0.code.contains(/\.stage =\s/) }.count, most: 0),
            Figure(
                name: "types over \(TypeTests.mostMembers) members or \(TypeTests.mostFiles) files",
                value: TypeTests.largeTypes.count),
        ]
    }

    private static var repetition: [Figure] {
        let outsidePolicy = SourceTree.sources.filter { $0.module != "Policy" }
        let steps = /\b(?:screenOrigin|ReadingConflict\.find|refusesClaims)\(/
        var places: [String: Set<String>] = [:]
        for name in TypeIndex.sources.types.keys where name.count(where: { $0 == "." }) == 1 {
            let parts = name.split(separator: ".")
            places[String(parts[1]), default: []].insert(String(parts[0]))
        }
        return [
            Figure(name: "steps of the decision taken outside Policy", value: count(steps, in: outsidePolicy), most: 0),
            Figure(
                name: "names of types declared in two targets", value: places.values.filter { $0.count > 1 }.count),
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
            Figure(name: "lines of \(module)", value: lines(SourceTree.sources.filter { $0.module == module }))
        }
        return [
            Figure(name: "lines of the assembly", value: lines(sources("portcullis/Assembly/")))
        ] + targets + [Figure(name: "lines of Sources", value: lines(SourceTree.sources))]
    }
}
