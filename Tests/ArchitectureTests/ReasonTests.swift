import Foundation
import Testing

/// Why a request ended is a `Reason`, wherever it is said. A target declares its own; the reference says what each means.
@Suite struct ReasonTests {
    @Test(arguments: SourceTree.sources)
    func noReasonIsAString(_ file: SourceFile) {
        let literals = file.text.matches(of: /\breason: "/)
        #expect(literals.isEmpty, "\(file.path) has a reason as a string: use a Reason")
    }

    private struct Row: Hashable {
        let code: String
        let status: String
        let isServed: Bool
    }

    /// The rows of the reference with what they mean.
    private static func rows() throws -> [(row: Row, meaning: String)] {
        try SourceTree.text("config/reference/reasons.md").components(separatedBy: "\n## ").flatMap { chapter in
            chapter.matches(of: /(?m)^\| `([^`]+)` \| (\d*) \| (.+) \|$/).map { found in
                let row = Row(
                    code: String(found.1), status: String(found.2),
                    isServed: chapter.hasPrefix("Requests that were served\n"))
                return (row, String(found.3))
            }
        }
    }

    /// Name and value of each declared reason.
    private static let declared: [(name: String, row: Row)] = SourceTree.sources.flatMap { file in
        // Codes stand in strings, which `code` leaves out.
        file.text.matches(of: /static var (\w+): Reason \{\s+(Reason|\.served)\("([^"]+)"(?:, (\d+))?/).map { found in
            let status = found.4.map(String.init) ?? ""
            return (
                String(found.1),
                Row(code: String(found.3), status: status == "0" ? "" : status, isServed: found.2 == ".served")
            )
        }
    }

    @Test("the reference has each reason of the sources with its status, and no other")
    func everyReasonIsDocumented() throws {
        let rows = try Self.rows().map(\.row)
        #expect(Set(rows).symmetricDifference(Self.declared.map(\.row)).sorted { $0.code < $1.code } == [])
        #expect(rows.count == Self.declared.count && rows.count > 450, "none is declared, or described, twice")
    }

    @Test("a reason has the name of its code, and is made where it is declared")
    func namesAreThoseOfTheCodes() {
        for (name, row) in Self.declared {
            let words = name.matches(of: /[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z0-9]+/).map { $0.0.lowercased() }
            #expect(words.joined(separator: "_") == row.code)
        }
        let made = SourceTree.sources.reduce(0) { $0 + $1.text.matches(of: /\bReason\("|\.served\("/).count }
        #expect(made == Self.declared.count)
    }

    @Test("codes are stable words, and what they mean is a sentence")
    func rowsAreReadable() throws {
        for (row, meaning) in try Self.rows() {
            #expect(row.code.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, "\(row.code)")
            #expect(meaning.wholeMatch(of: /[A-Z`][^|\n]+\./) != nil, "\(row.code)")
            #expect(row.status.isEmpty || (400..<600).contains(Int(row.status) ?? 0), "\(row.code)")
        }
    }
}
