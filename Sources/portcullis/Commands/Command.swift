import Configuration

/// A subcommand of the program.
protocol Command: Sendable {
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    static var help: String { get }
    static func run(_ arguments: [String]) throws(ExitStatus)
}

extension Command {
    /// Prints the help as an error message.
    static func usageError() -> ExitStatus {
        Terminal.printError(help)
        return .usage
    }

    /// Prints that there is no such action.
    static func unknownAction(_ word: String, among actions: some Sequence<String>) -> ExitStatus {
        let near = Suggestion.nearest(to: word, among: actions.sorted())
        let hint = near.map { "did you mean \($0)?" } ?? "`portcullis \(name) --help` lists them"
        return .misuse("unknown action \(word); \(hint)")
    }
}
