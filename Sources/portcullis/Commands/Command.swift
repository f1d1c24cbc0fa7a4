import CommandForms
import Declaration

/// A subcommand of the program.
protocol Command: Sendable {
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    static var help: String { get }
    /// What the first word after its name is.
    static var noun: String { get }
    /// A command with a similar name and other actions.
    static var namesake: (any Command.Type)? { get }
    static func run(_ arguments: [String]) throws(ExitStatus)
}

extension Command {
    static var form: CommandForm { CommandForm(help) }
    static var noun: String { "action" }
    static var namesake: (any Command.Type)? { nil }

    /// Prints the help as an error message.
    static func usageError() -> ExitStatus {
        Terminal.printError(help)
        return .usage
    }

    /// Prints that there is no such action.
    static func unknownAction(_ word: String, among actions: some Sequence<String>) -> ExitStatus {
        let other = namesake.flatMap { $0.form.actions.contains(word) ? "`portcullis \($0.name) \(word)`" : nil }
        let near = other ?? Suggestion.nearest(to: word, among: actions.sorted())
        let hint = near.map { "did you mean \($0)?" } ?? "`portcullis \(name) --help` lists them"
        return .misuse("unknown \(noun) \(word); \(hint)")
    }

    /// Prints how many names an action expects, and its lines of the help.
    static func miscounted(
        _ action: String, _ count: Int, expected: ClosedRange<Int>, usage: [String]
    ) -> ExitStatus {
        let number =
            switch expected {
            case 1...1: "1 name"
            case _ where expected.count == 1: "\(expected.lowerBound) names"
            default: "\(expected.lowerBound) to \(expected.upperBound) names"
            }
        let place = action.isEmpty ? name : "\(name) \(action)"
        let status = ExitStatus.misuse("\(place): expected \(number), found \(count)")
        for line in usage { Terminal.printError(line) }
        Terminal.printError("`portcullis help \(name)` explains them")
        return status
    }
}
