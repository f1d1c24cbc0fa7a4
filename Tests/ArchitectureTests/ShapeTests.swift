import Foundation
import Testing

/// Names, sizes and access: the house rules that a reader would otherwise have to watch.
@Suite struct ShapeTests {
    /// Files over the size at which a second type is usually hiding in the first.
    static let longFiles: Set<String> = []
    static let longestFile = 400

    /// Words that say nothing about a type, wherever they stand in its name.
    static let emptyWords: Set<String> = ["Manager", "Helper", "Helpers", "Util", "Utils"]
    /// Words that say nothing at the end of a name; a data plane is something.
    static let emptyEndings: Set<String> = ["Data", "Info"]

    /// Names of the types a file declares.
    static func declaredTypes(_ file: SourceFile) -> [String] {
        file.code.matches(of: /\b(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)/).map { String($0.1) }
    }

    /// Names of the types a file extends, without their module.
    static func extendedTypes(_ file: SourceFile) -> [String] {
        file.code.matches(of: /\bextension\s+(?:\w+\.)*(\w+)/).map { String($0.1) }
    }

    /// The words of a camel-case name: `HTTPDateField` is HTTP, Date, Field.
    static func words(_ name: String) -> [String] {
        name.matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/).map { String($0.0) }
    }

    @Test(arguments: SourceTree.sources + SourceTree.tests)
    func filesAreShort(_ file: SourceFile) {
        let limit = Self.longFiles.contains(file.path) ? Int.max : Self.longestFile
        #expect(file.lineCount <= limit, "\(file.path) has \(file.lineCount) lines")
    }

    @Test("end-to-end tests lie in folders by capability")
    func endToEndTestsLieInFolders() {
        let loose = SourceTree.tests.map(\.path).filter {
            $0.hasPrefix("Tests/EndToEndTests/") && $0.split(separator: "/").count == 3
        }
        #expect(loose.isEmpty, "\(loose)")
    }

    /// Notes, results and drafts do not belong to the project; what tools leave there is on the list of what Git ignores.
    @Test func nothingElseLiesAtTheTop() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        let ignored: Set = ["Package.resolved", "run", "results", "__pycache__"]
        let known: Set = ["Package.swift", "README.md", "Sources", "Tests", "config", "deploy"]
        #expect(Set(entries.filter { !$0.hasPrefix(".") }).subtracting(ignored) == known)
    }

    @Test func longFilesAreStillLong() {
        for path in Self.longFiles {
            let file = (SourceTree.sources + SourceTree.tests).first { $0.path == path }
            #expect((file?.lineCount ?? 0) > Self.longestFile, "\(path) need not be listed")
        }
    }

    @Test(arguments: SourceTree.sources)
    func onlyTheClientLibraryIsPublic(_ file: SourceFile) {
        guard !["PortcullisClient", "ClientStore"].contains(file.module),
            !file.words.isDisjoint(with: ["public", "open"])
        else { return }
        #expect(
            file.lines(
                matching:
                    /\b(?:public|open)\s+(?:\w+\s+)*(?:struct|class|enum|actor|protocol|func|var|let|init|typealias|extension|static|final|import)\b/
            ).isEmpty)
    }

    @Test(arguments: SourceTree.sources)
    func noTypeBearsAModulesName(_ file: SourceFile) {
        let taken = Self.declaredTypes(file).filter { SourceTree.modules.contains($0) }
        #expect(taken.isEmpty, "\(file.path) declares \(taken)")
    }

    @Test(arguments: SourceTree.sources)
    func namesSaySomething(_ file: SourceFile) {
        for name in Self.declaredTypes(file) {
            let words = Self.words(name)
            #expect(Self.emptyWords.isDisjoint(with: words), "\(file.path) declares \(name)")
            #expect(!Self.emptyEndings.contains(words.last ?? ""), "\(file.path) declares \(name)")
        }
    }

    /// `Exchange+StateMachine.swift` declares or extends Exchange, `Route.swift` or `Routes.swift` declares Route. Only a
    /// file that declares no type, but extends others' types or holds functions, is free in its name.
    @Test(arguments: SourceTree.sources)
    func filesAreNamedAfterWhatTheyDeclare(_ file: SourceFile) throws {
        let name = try #require(file.path.split(separator: "/").last?.dropLast(".swift".count))
        let declared = Self.declaredTypes(file)
        if name.contains("+") {
            let subject = String(name.prefix { $0 != "+" })
            #expect((declared + Self.extendedTypes(file)).contains(subject), "\(file.path): no \(subject)")
        } else if !declared.isEmpty && name != "main" {
            let isNamed =
                declared.contains { name == $0 || name == $0 + "s" } || Self.extendedTypes(file).contains(String(name))
            #expect(isNamed, "\(file.path) declares \(declared)")
        }
    }

    @Test(arguments: SourceTree.sources + SourceTree.tests)
    func nothingIsLeftForLater(_ file: SourceFile) {
        guard file.module != "ArchitectureTests" else { return }
        for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let comment = line.range(of: "//").map({ line[$0.upperBound...] }) else { continue }
            let isForLater = comment.contains(/\b(?:TODO|FIXME|XXX|HACK)\b/)
            #expect(!isForLater, "\(file.path):\(index + 1)")
            #expect(!comment.contains(/^\s*[=*#_~-]{4,}/), "\(file.path):\(index + 1): a banner")
        }
    }

    @Test(arguments: [
        ("HTTPDateField", ["HTTP", "Date", "Field"]), ("Metadata", ["Metadata"]), ("UserData", ["User", "Data"]),
    ])
    func namesSplitIntoWords(_ name: String, _ words: [String]) {
        #expect(Self.words(name) == words)
    }
}
