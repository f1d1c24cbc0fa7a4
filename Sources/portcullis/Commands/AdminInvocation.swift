/// What an administrative command was called with: `portcullis COMMAND ACTION NAME... --options`.
struct AdminInvocation {
    /// What an action takes.
    struct Shape {
        let names: ClosedRange<Int>
        var options: Set<String> = []
        var flags: Set<String> = []

        init(_ names: ClosedRange<Int>, options: Set<String> = [], flags: Set<String> = []) {
            self.names = names
            self.options = options
            self.flags = flags
        }
    }

    let action: String
    let arguments: Arguments
    let target: AdminTarget

    /// - Throws: `.usage` after saying what is wrong.
    init(_ words: [String], of command: any Command.Type, _ actions: [String: Shape]) throws(ExitStatus) {
        guard let action = words.first else {
            Terminal.complain(command.help)
            throw .usage
        }
        guard let shape = actions[action] else {
            Terminal.complain("portcullis: unknown action \(action); `portcullis \(command.name) --help` lists them")
            throw .usage
        }
        arguments = try Arguments(
            words.dropFirst(), options: shape.options.union(AdminTarget.options), flags: shape.flags)
        guard shape.names.contains(arguments.positional.count) else {
            throw AdminInvocation.complaint(command, action, arguments.positional.count, shape.names)
        }
        self.action = action
        target = try AdminTarget(arguments)
    }

    /// Says how many names an action takes, and the lines of the help that show them.
    private static func complaint(
        _ command: any Command.Type, _ action: String, _ count: Int, _ wanted: ClosedRange<Int>
    ) -> ExitStatus {
        let number =
            switch wanted {
            case 1...1: "1 name"
            case _ where wanted.count == 1: "\(wanted.lowerBound) names"
            default: "\(wanted.lowerBound) to \(wanted.upperBound) names"
            }
        _ = Arguments.complaint("\(command.name) \(action): expected \(number), found \(count)")
        let start = "portcullis \(command.name) "
        var isShown = false
        for line in command.help.split(separator: "\n", omittingEmptySubsequences: false).prefix(while: { !$0.isEmpty })
        {
            if let form = line.firstRange(of: start) {
                let actions = line[form.upperBound...].prefix { $0 != " " }.split(separator: "|")
                isShown = actions.contains { isSame(String($0), action) }
            }
            if isShown { Terminal.complain(String(line)) }
        }
        Terminal.complain("`portcullis help \(command.name)` explains them")
        return .usage
    }

    var names: [String] { arguments.positional }
    var first: String { arguments.positional.first ?? "" }
}
