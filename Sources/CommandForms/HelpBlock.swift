/// A part of a help between empty lines: a paragraph, or a list of terms with their meanings.
package struct HelpBlock {
    /// A line `term  meaning`, with those that continue it at a larger indentation.
    package struct Item {
        /// Its names, separated by commas; those of options with their values.
        package fileprivate(set) var term: String
        package fileprivate(set) var meaning: String

        fileprivate init?(_ line: String) {
            let body = line.drop { $0 == " " }
            guard line.count - body.count <= 2, let gap = body.firstRange(of: "  ") else { return nil }
            term = String(body[..<gap.lowerBound])
            meaning = String(body[gap.upperBound...].drop { $0 == " " })
        }
    }

    /// The line that ends with a colon before a list.
    package private(set) var heading: String?
    /// The lines of a paragraph.
    package private(set) var text: [String] = []
    package private(set) var items: [Item] = []

    /// - Parameter value: that of an option in the usage.
    init(_ lines: some Sequence<String>, value: (_ option: String) -> String?) {
        for line in lines {
            if let item = Item(line) {
                items.append(item)
            } else if !items.isEmpty, line.hasPrefix(" ") {
                items[items.count - 1].meaning += " " + line.drop { $0 == " " }
            } else {
                text.append(line)
            }
        }
        for i in items.indices {
            let terms = items[i].term.split(separator: ", ").map { $0 + (value(String($0)).map { " \($0)" } ?? "") }
            items[i].term = terms.joined(separator: ", ")
        }
        if let line = text.last, text.count == 1, line.hasSuffix(":"), !items.isEmpty {
            heading = line
            text = []
        }
    }

    /// `example`, `exit status` or `environment`, where the first line begins with it and a colon.
    package var title: String? {
        let start = heading ?? text.first ?? ""
        return HelpBlock.titles.first { start.hasPrefix($0) }
    }

    /// The paragraph without its title.
    package var body: [String] {
        guard let title, let first = text.first else { return text }
        let rest = first.dropFirst(title.count).drop { "s:".contains($0) }
        return ([String(rest)] + text.dropFirst()).map { String($0.drop { $0 == " " }) }
    }

    private static let titles = ["example", "exit status", "environment"]

    /// The options that it describes, with their values where the terms have them.
    var options: [CommandOption] {
        items.filter { $0.term.hasPrefix("-") }.flatMap { item in
            item.term.split(separator: ", ").map { term in
                let words = term.split(separator: " ", maxSplits: 1).map(String.init)
                return CommandOption(
                    name: words[0], value: words.count == 2 ? words[1] : nil, meaning: item.meaning)
            }
        }
    }

    /// The word of a usage line that stands for its options, such as WHERE.
    var abbreviation: String? {
        heading.map { $0.prefix { ("A"..."Z").contains($0) } }.flatMap { $0.count > 1 ? String($0) : nil }
    }
}
