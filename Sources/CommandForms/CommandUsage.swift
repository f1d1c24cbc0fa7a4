/// A line of a usage, such as `portcullis users set-password NAME [--realm REALM] WHERE`: `[…]` may be absent, `…|…` is a choice,
/// words in capitals stand for others, and `…...` may be repeated.
package struct CommandUsage {
    /// An argument by its position.
    package struct Word {
        /// `NAME`, or the words to choose from.
        package let choices: [String]
        package let isOptional: Bool

        /// Whether it is one of its choices, rather than a word that they stand for.
        package var isLiteral: Bool { choices.allSatisfy(\.isLiteralWord) }
        package var isRepeated: Bool { choices.last?.hasSuffix("...") == true }
    }

    /// How often an argument may be repeated.
    private static let mostRepetitions = 64

    /// As the help has them.
    package let lines: [String]
    package private(set) var words: [Word] = []
    package internal(set) var options: [CommandOption] = []

    /// The usages of the lines before the first empty one. A line without the name of the program continues the one before.
    static func all(_ lines: some Sequence<String>) -> [CommandUsage] {
        var groups: [[String]] = []
        for line in lines {
            if line.hasPrefix("usage: portcullis ") || line.hasPrefix("       portcullis ") {
                groups.append([line])
            } else if !groups.isEmpty {
                groups[groups.count - 1].append(line)
            }
        }
        return groups.map(CommandUsage.init)
    }

    private init(_ lines: [String]) {
        self.lines = lines
        var text = lines.joined(separator: " ")
        for mark in ["[", "]", "|"] { text = text.replacing(mark, with: " \(mark) ") }
        // Behind the names of program and command.
        var rest = text.split(separator: " ").map(String.init).drop { $0 != "portcullis" }.dropFirst(2)
        var depth = 0
        while let token = rest.popFirst() {
            switch token {
            case "[": depth += 1
            case "]": depth -= 1
            case "|": continue
            case _ where token.hasPrefix("-"):
                var value: String?
                if let first = rest.first, !["[", "]", "|"].contains(first), !first.hasPrefix("-") {
                    rest.removeFirst()
                    value = CommandUsage.choices(first, &rest).joined(separator: "|")
                }
                options.append(CommandOption(name: token, value: value, meaning: ""))
            default:
                let choices = CommandUsage.choices(token, &rest)
                // `NAME|--public FILE`
                words.append(Word(choices: choices, isOptional: depth > 0 || rest.first == "|"))
            }
        }
    }

    private static func choices(_ first: String, _ rest: inout ArraySlice<String>) -> [String] {
        var choices = [first]
        while rest.first == "|", let next = rest.dropFirst().first, !next.hasPrefix("-") {
            rest = rest.dropFirst(2)
            choices.append(next)
        }
        return choices
    }

    /// Removes a word that stands for options; false if it has none.
    mutating func removeWord(_ name: String) -> Bool {
        let count = words.count
        words.removeAll { $0.choices == [name] }
        return words.count < count
    }

    /// The words that may be the first one; empty where that is a name.
    package var actions: [String] {
        guard let first = words.first, first.isLiteral, !first.isOptional else { return [] }
        return first.choices
    }

    /// How many arguments it takes beside options, its action included.
    package var count: ClosedRange<Int> {
        let least = words.filter { !$0.isOptional }.count
        let repeated = words.filter(\.isRepeated).count * (CommandUsage.mostRepetitions - 1)
        return least...(words.count + repeated)
    }

    /// Whether arguments can begin one that fits.
    package func begins(with arguments: some Collection<String>) -> Bool {
        zip(words, arguments).allSatisfy { !$0.isLiteral || $0.choices.contains($1) }
            && arguments.count <= count.upperBound
    }

    /// What stands at a position; nil behind the last one.
    package func word(at place: Int) -> Word? {
        words.indices.contains(place) ? words[place] : words.last.flatMap { $0.isRepeated ? $0 : nil }
    }
}

extension String {
    /// Whether a word of a usage stands for itself.
    package var isLiteralWord: Bool { first.map { $0.isLowercase } ?? false }
}
