extension Difference {
    /// For pull requests: Markdown of at most 60,000 bytes, which comments of usual servers take. Texts of the configuration
    /// are code without any markup, so that none is a link, a mention or an element.
    ///
    /// - Parameter notes: further lines at the end.
    package func markdown(notes: [String]) -> String {
        var text = BoundedText()
        text.add("**Access: \(counts), \(undecided.count) undecided**")
        if classes.isEmpty, undecided.isEmpty { text.add("\nNo request is decided differently.") }
        if !classes.isEmpty {
            text.add("\n| | Who | Method | Path | Before | After |\n|---|---|---|---|---|---|")
            text.add(classes.map(\.markdownRow), "classes", upTo: 45_000)
        }
        if !undecided.isEmpty {
            text.add("\n**UNDECIDED**\n")
            text.add(undecided.map { "- \(Markdown.code($0))" }, "undecided entries", upTo: 55_000)
        }
        let also = harmlessChanges.isEmpty ? [] : ["also changed: \(harmlessChanges.joined(separator: ", "))"]
        if !(also + notes).isEmpty {
            text.add("")
            text.add((also + notes).map { "- \(Markdown.code($0))" }, "notes", upTo: 59_000)
        }
        return text.text
    }
}

extension DifferenceClass {
    private static let mostPlaces = 20

    /// Of a table.
    fileprivate var markdownRow: String {
        let more = places.count - DifferenceClass.mostPlaces
        let shown = places.prefix(DifferenceClass.mostPlaces)
        let cells = [
            [callerText], shown.map(\.methods), shown.map(\.pattern) + (more > 0 ? ["and \(more) more"] : []),
            [change.before], [change.after] + change.details,
        ]
        let access = change.access == .gained ? "**gained**" : change.access.rawValue
        return
            "| \(([access] + cells.map { $0.map(Markdown.code).joined(separator: "<br>") }).joined(separator: " | ")) |"
    }
}

private enum Markdown {
    /// A text as code, in which no character is markup. References to characters are never structure (CommonMark 0.31, section
    /// 2.5), and servers look for no mentions in code.
    static func code(_ text: String) -> String {
        var result = "<code>"
        for scalar in text.harmless.unicodeScalars {
            let isPlain =
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || " ,;/-".unicodeScalars.contains(scalar)
            result += isPlain ? String(scalar) : "&#\(scalar.value);"
        }
        return result + "</code>"
    }
}

/// Lines up to a length, with a line in place of those that are left out.
private struct BoundedText {
    private(set) var text = ""

    mutating func add(_ line: String) { text += text.isEmpty ? line : "\n\(line)" }

    /// - Parameters:
    ///   - noun: what a line is.
    ///   - most: length of the text with these lines, in bytes.
    mutating func add(_ lines: [String], _ noun: String, upTo most: Int) {
        let fitting = lines.prefix { line in
            guard text.utf8.count + line.utf8.count < most else { return false }
            add(line)
            return true
        }
        if fitting.count < lines.count { add("\nLeft out: \(lines.count - fitting.count) of \(lines.count) \(noun).") }
    }
}
