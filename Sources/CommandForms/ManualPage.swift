/// A page of section 1 of the manual, made of a help. It uses the macros of man(7) that groff and mandoc have.
package struct ManualPage {
    /// What a page says of its program.
    package struct Edition {
        let program: String
        let version: String
        /// As `2026-11-30`.
        let date: String

        package init(program: String, version: String, date: String) {
            self.program = program
            self.version = version
            self.date = date
        }
    }

    /// Such as `portcullis-serve`.
    package let name: String
    /// The source, with the end of its last line.
    package private(set) var text: String

    /// - Parameters:
    ///   - command: nil for the page of the program.
    ///   - summary: one line, in lower case.
    package init(_ edition: Edition, command: String?, summary: String, form: CommandForm) {
        name = edition.program.lowercased() + (command.map { "-\($0)" } ?? "")
        text = """
            .TH \(name.uppercased()) 1 \(edition.date) "\(edition.program) \(edition.version)" "\(edition.program) Manual"
            .ad l
            .SH NAME
            \(ManualPage.filled("\(name) - \(summary)"))

            """
        if !form.usages.isEmpty { text += ".SH SYNOPSIS\n" }
        for usage in form.usages { text += ManualPage.synopsis(usage) }
        let sections: [(title: String, isIn: (HelpBlock) -> Bool)] = [
            ("DESCRIPTION", { $0.options.isEmpty && $0.title == nil }), ("OPTIONS", { !$0.options.isEmpty }),
            ("ENVIRONMENT", { $0.title == "environment" }), ("EXIT STATUS", { $0.title == "exit status" }),
            ("EXAMPLES", { $0.title == "example" }),
        ]
        for section in sections {
            let blocks = form.blocks.filter(section.isIn)
            if blocks.isEmpty { continue }
            text += ".SH \(section.title)\n" + blocks.map(ManualPage.source).joined(separator: ".PP\n")
        }
        text = text.replacing(".PP\n.TP\n", with: ".TP\n")
        if command != nil { text += ".SH SEE ALSO\n.BR \(edition.program.lowercased()) (1)\n" }
    }

    // MARK: Parts

    /// A usage with its words in bold, and those that stand for others in italics.
    private static func synopsis(_ usage: CommandUsage) -> String {
        let words = usage.lines.joined(separator: " ").split(separator: " ").drop { $0 == "usage:" }
        let shown = words.dropFirst().map { word in
            String(word).replacing(/-{1,2}[A-Za-z][A-Za-z0-9-]*|[a-z][a-z0-9-]*|[A-Z][A-Z_]*|\.\.\./) { match in
                let isPlaceholder = match.0.first.map { $0.isUppercase } ?? false
                return match.0 == "..."
                    ? "...\\&" : "\\f\(isPlaceholder ? "I" : "B")\(escaped(String(match.0)))\\fR"
            }
        }
        return ".SY \(words.first ?? "")\n\(shown.joined(separator: "\n"))\n.YS\n"
    }

    private static func source(_ block: HelpBlock) -> String {
        if block.title == "example" { return ".EX\n\(block.body.map(line).joined(separator: "\n"))\n.EE\n" }
        var text = block.body.isEmpty ? "" : filled(block.body.joined(separator: " ")) + "\n"
        if let heading = block.heading, block.title == nil { text += filled(heading) + "\n" }
        for item in block.items { text += ".TP\n\(term(item.term, block))\n\(filled(item.meaning))\n" }
        return text
    }

    /// The names in bold, the values of options in italics.
    private static func term(_ term: String, _ block: HelpBlock) -> String {
        term.split(separator: ", ").map { name in
            let words = name.hasPrefix("-") ? name.split(separator: " ", maxSplits: 1) : [name]
            let value = words.count == 2 ? " \\fI\(escaped(String(words[1])))\\fR" : ""
            return "\\fB\(escaped(String(words[0])))\\fR\(value)"
        }.joined(separator: ", ")
    }

    /// Text with what is between grave accents in bold. It must not look like a request.
    private static func line(_ text: String) -> String {
        let parts = escaped(text).split(separator: "`", omittingEmptySubsequences: false).enumerated()
        let styled = parts.map { $0.offset.isMultiple(of: 2) ? String($0.element) : "\\fB\($0.element)\\fR" }.joined()
        return styled.split(separator: "\n").map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }
            .joined(separator: "\n")
    }

    /// The same in lines of at most 80 bytes, where words allow it and escapes are few.
    private static func filled(_ text: String) -> String {
        var lines = [""]
        for word in text.split(whereSeparator: \.isWhitespace) {
            if lines[lines.count - 1].utf8.count + word.utf8.count > 60 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return line(lines.joined(separator: "\n"))
    }

    /// Hyphens stay what they are where the text is copied.
    private static func escaped(_ text: String) -> String {
        [("\\", "\\e"), ("-", "\\-"), ("~", "\\(ti"), ("^", "\\(ha")].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
