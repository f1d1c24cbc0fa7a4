import Bytes
import CTexts

/// The page of the reference that says what each reason means: a file, which the compiler makes part of the program.
package enum ReasonTexts {
    package static let page = String(decoding: [UInt8](embedded: reason_texts), as: UTF8.self)

    /// The chapters of reasons why requests of routes are refused, or fail.
    private static let chapters = [
        "Refused by policy", "Refused for limits or load", "Failed at the upstream or its token",
    ]

    /// Codes, and statuses, of the reasons that an error of the gateway on a route may have.
    static let errors: [(code: String, status: Int)] = {
        var chapter: Substring = ""
        return page.split(separator: "\n").compactMap { line in
            if line.hasPrefix("## ") { chapter = line.dropFirst(3) }
            let cells = line.split(separator: "|")
            guard line.hasPrefix("| `"), chapters.contains(String(chapter)),
                let status = Int(cells[1].filter { $0 != " " }), status >= 400
            else { return nil }
            return (String(cells[0].dropFirst(2).dropLast(2)), status)
        }
    }()
}
