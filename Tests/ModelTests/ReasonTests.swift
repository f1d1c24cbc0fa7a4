import Foundation
import Testing

@testable import Model

@Suite struct ReasonTests {
    private static let rows = Reason.groups.flatMap(\.rows)

    /// A file of the package, named by its path from the root.
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The rows have no name of their case: a code is the case's name in other letters.
    @Test func rowsAreInTheOrderOfTheCases() throws {
        let source = try Self.text("Sources/Model/Reason.swift")
        let declaration = source[..<(try #require(source.range(of: "\n}\n"))).lowerBound]
        let names = declaration.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.hasPrefix("    //") }
            .joined(separator: " ").replacing("case ", with: "").matches(of: /\w+/)
        let codes = names.map { name in
            name.0.matches(of: /[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]+/).map { $0.0.lowercased() }.joined(separator: "_")
        }
        #expect(codes.count == Reason.allCases.count)
        #expect(codes == Self.rows.map(\.code))
        #expect(Reason.allCases.map(\.index) == Array(0..<Reason.count))
    }

    @Test func codesAreStableWords() {
        #expect(Set(Self.rows.map(\.code)).count == Self.rows.count)
        for row in Self.rows { #expect(row.code.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, "\(row.code)") }
    }

    @Test func meaningsAreSentences() {
        for row in Self.rows {
            #expect(row.meaning.wholeMatch(of: /[A-Z`][^|\n]+\./) != nil, "\(row.code)")
            #expect(row.status == 0 || (400..<600).contains(row.status), "\(row.code)")
        }
    }

    @Test func theDocumentationHasTheTables() throws {
        let text = try Self.text("config/reference/reasons.md")
        #expect(text == Reason.reference, "renew with portcullis schema config")
    }
}
