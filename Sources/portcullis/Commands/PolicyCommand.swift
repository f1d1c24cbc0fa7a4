/// `portcullis policy`: the environment policies.
enum PolicyCommand: Command {
    static let name = "policy"
    static let summary = "lay out the value of a policy"
    static let help = PolicyLayout.help

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: [], flags: [])
        let words = arguments.positional
        guard words.count == 2, words[0] == "flatten" || words[0] == "pretty" else {
            Terminal.complain(help)
            throw .usage
        }
        try PolicyLayout.run(words[0], words[1])
    }
}
