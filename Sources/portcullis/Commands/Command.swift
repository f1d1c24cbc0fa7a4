import Configuration
import Declaration

/// A subcommand of the program.
protocol Command: Sendable {
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    static var help: String { get }
    /// The words that may follow its name.
    static var actions: Set<String> { get }
    /// A command with a similar name and other actions.
    static var namesake: (any Command.Type)? { get }
    static func run(_ arguments: [String]) throws(ExitStatus)
}

extension Command {
    static var actions: Set<String> { [] }
    static var namesake: (any Command.Type)? { nil }

    /// Prints the help as an error message.
    static func usageError() -> ExitStatus {
        Terminal.printError(help)
        return .usage
    }

    /// Prints that there is no such action.
    static func unknownAction(_ word: String, among actions: some Sequence<String>) -> ExitStatus {
        let other = namesake.flatMap { $0.actions.contains(word) ? "`portcullis \($0.name) \(word)`" : nil }
        let near = other ?? Suggestion.nearest(to: word, among: actions.sorted())
        let hint = near.map { "did you mean \($0)?" } ?? "`portcullis \(name) --help` lists them"
        return .misuse("unknown action \(word); \(hint)")
    }
}
