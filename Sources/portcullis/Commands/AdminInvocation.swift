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
            Terminal.complain(command.help)
            let some = arguments.positional.count < shape.names.lowerBound ? "few" : "many"
            throw Arguments.complaint("\(command.name) \(action): too \(some) names")
        }
        self.action = action
        target = try AdminTarget(arguments, usage: command.help)
    }

    var names: [String] { arguments.positional }
    var first: String { arguments.positional.first ?? "" }
}
