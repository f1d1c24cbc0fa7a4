import Foundation
import Testing

/// The Swift files of the package as text, read once; what the architecture tests look at.
enum SourceTree {
    /// The directory that holds Package.swift, found upwards from this file.
    static let root: URL = {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: directory.appending(path: "Package.swift").path) {
            precondition(directory.path != "/", "no Package.swift above \(#filePath)")
            directory.deleteLastPathComponent()
        }
        return directory
    }()

    /// Every Swift file under Sources.
    static let sources = files(under: "Sources")
    /// Every Swift file under Tests.
    static let tests = files(under: "Tests")

    /// The declarations of the sources, by path.
    static let declarations = Dictionary(
        uniqueKeysWithValues: sources.map { ($0.path, DeclarationScanner.scan($0.code)) })
    /// The modules that the files of each target import.
    static let imports: [String: Set<String>] = sources.reduce(into: [:]) {
        $0[$1.module, default: []].formUnion($1.imports)
    }

    /// The targets that hold Swift files.
    static let modules = Set(sources.map(\.module)).sorted()

    /// The text of a file of the package, named by its path from the root.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func files(under top: String) -> [SourceFile] {
        let base = root.appending(path: top)
        guard let walk = FileManager.default.enumerator(atPath: base.path) else { return [] }
        var found: [SourceFile] = []
        for case let path as String in walk where path.hasSuffix(".swift") {
            guard let text = try? String(contentsOf: base.appending(path: path), encoding: .utf8) else {
                preconditionFailure("cannot read \(top)/\(path)")
            }
            found.append(SourceFile(path: "\(top)/\(path)", text: text))
        }
        return found.sorted { $0.path < $1.path }
    }
}

/// One Swift file.
struct SourceFile: Sendable, CustomTestStringConvertible {
    /// Path from the package's root: `Sources/HTTP/Method.swift`.
    let path: String
    /// The text as written.
    let text: String
    /// The text with comments and the contents of string literals blanked out, line for line.
    let code: String
    /// The comments, with everything else blanked out, line for line.
    let comments: String
    /// The identifiers and keywords of `code`: what is not among them need not be looked for line by line.
    let words: Set<Substring>

    init(path: String, text: String) {
        self.path = path
        self.text = text
        (code, comments) = SwiftText.parts(text)
        words = SwiftText.words(code)
    }

    /// The target the file belongs to: the directory after Sources, Sources/Compatibility or Tests.
    var module: String {
        let names = path.split(separator: "/")
        return String(names[path.hasPrefix(Self.families) ? 2 : 1])
    }

    /// Where the targets of families are.
    static let families = "Sources/Compatibility/"

    /// The lines of `code`, without line ends.
    var codeLines: [Substring] { code.split(separator: "\n", omittingEmptySubsequences: false) }

    /// How many lines the file has.
    var lineCount: Int {
        text.split(separator: "\n", omittingEmptySubsequences: false).count - (text.hasSuffix("\n") ? 1 : 0)
    }

    /// Modules named in import declarations: `package import Bytes` and `import struct Foundation.URL` included.
    var imports: Set<String> {
        var names: Set<String> = []
        guard words.contains("import") else { return [] }
        for line in codeLines where line.contains("import ") {
            if let match = line.firstMatch(
                of:
                    /^\s*(?:@\w+(?:\(\w*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
            ) {
                names.insert(String(match.1))
            }
        }
        return names
    }

    /// What the file declares.
    var declarations: DeclarationScanner { SourceTree.declarations[path] ?? DeclarationScanner.scan(code) }

    /// Line numbers, from 1, whose code has a match.
    func lines(matching pattern: some RegexComponent) -> [Int] {
        codeLines.enumerated().filter { $0.element.firstMatch(of: pattern) != nil }.map { $0.offset + 1 }
    }

    var testDescription: String { path }
}
