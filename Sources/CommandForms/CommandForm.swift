/// What a command takes, read from its help: the lines of its usage, and the options with their meanings. Arguments are parsed by
/// it, and manual pages and completions made of it, so what the help omits does not exist.
package struct CommandForm {
    /// The usage lines with all the options that each accepts.
    package private(set) var usages: [CommandUsage]
    /// In the order of the help. One with several meanings stands several times.
    package let options: [CommandOption]
    /// What follows the usage.
    package let blocks: [HelpBlock]

    package init(_ help: String) {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var usages = CommandUsage.all(lines.prefix { !$0.isEmpty })
        let rest = usages.isEmpty ? lines[...] : lines.drop { !$0.isEmpty }
        let used = usages.flatMap(\.options)
        blocks = rest.split(separator: "").map { lines in
            HelpBlock(lines) { name in used.first { $0.name == name }?.value }
        }
        options = blocks.flatMap(\.options)
        let abbreviations = blocks.filter { $0.abbreviation != nil }
        // Those that no usage line names are accepted by all.
        let abbreviated = abbreviations.flatMap(\.options)
        let common = options.filter { option in !(used + abbreviated).contains { $0.name == option.name } }
        for i in usages.indices {
            for block in abbreviations where usages[i].removeWord(block.abbreviation ?? "") {
                usages[i].options += block.options
            }
            usages[i].options += common
        }
        self.usages = usages
    }

    /// The words that may follow the command's name; empty for a command without actions.
    package var actions: [String] {
        var seen: Set<String> = []
        return usages.flatMap(\.actions).filter { seen.insert($0).inserted }
    }

    /// Whether the command takes an option, and whether that takes a value; nil for an unknown one.
    package func takesValue(_ name: String) -> Bool? {
        let known = (usages.flatMap(\.options) + options).filter { $0.name == name }
        return known.isEmpty ? nil : known.contains { $0.value != nil }
    }

    /// The names of all its options.
    package var optionNames: Set<String> { Set((usages.flatMap(\.options) + options).map(\.name)) }

    /// The first clause about an action or option.
    package func summary(of word: String) -> String {
        let items = blocks.flatMap(\.items).map { (names: $0.term.split(separator: ", "), meaning: $0.meaning) }
        let meaning =
            options.first { $0.name == word }?.meaning ?? items.first { $0.names.contains { $0 == word } }?.meaning
        let end = meaning.flatMap { text in
            [". ", "; ", ": ", " ("].compactMap { text.firstRange(of: $0)?.lowerBound }.min()
        }
        return meaning.map { String($0[..<(end ?? $0.endIndex)]) } ?? ""
    }
}
