import CommandForms
import Declaration
import Reactor

/// The arguments of one command, by the usage in its help: options with values, flags, and positional arguments. All after `--`
/// is positional.
struct Arguments {
    private let form: CommandForm
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    /// Without the action.
    private(set) var positional: [String] = []
    /// Empty for a command without actions.
    private(set) var action = ""

    /// - Parameter isCounted: false for a command that has a message of its own for a wrong number of arguments.
    /// - Throws: `.usage` after printing what is wrong.
    init(_ arguments: [String], of command: any Command.Type, isCounted: Bool = true) throws(ExitStatus) {
        form = command.form
        try parse(arguments)
        var usages = form.usages
        if !form.actions.isEmpty {
            guard let word = positional.first else { throw command.usageError() }
            usages = usages.filter { $0.actions.contains(word) }
            guard !usages.isEmpty else { throw command.unknownAction(word, among: form.actions) }
            action = positional.removeFirst()
        }
        let known = Set(usages.flatMap(\.options).map(\.name))
        if let other = flags.union(values.keys).subtracting(known).min() {
            let others = form.usages.filter { $0.options.contains { $0.name == other } }.flatMap(\.actions)
            throw .misuse("\(other) goes with \(others.joined(separator: ", ")), not with \(action)")
        }
        let counts = usages.map { $0.count }
        let own = action.isEmpty ? 0 : 1
        let count = (counts.map(\.lowerBound).min() ?? 0) - own...(counts.map(\.upperBound).max() ?? 0) - own
        guard !isCounted || count.contains(positional.count) else {
            throw command.miscounted(
                action, positional.count, expected: count, usage: usages.flatMap(\.lines))
        }
    }

    private mutating func parse(_ arguments: [String]) throws(ExitStatus) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            // Allows for positional arguments that begin with a dash, such as random ids.
            if argument == "--" {
                positional += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                positional.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch form.takesValue(parts[0]) {
            case true?:
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw .misuse("\(parts[0]) needs a value")
                }
                // `--config "$DIR"` with an unset variable must not mean the current directory.
                guard !value.isEmpty || parts[0] != "--config" else { throw .misuse("--config is empty") }
                guard values.updateValue(value, forKey: parts[0]) == nil else {
                    throw .misuse("\(parts[0]) is given twice")
                }
            case false? where parts.count == 1: flags.insert(argument)
            default:
                let near = Suggestion.nearest(to: parts[0], among: form.optionNames.sorted())
                throw .misuse(
                    "unknown option \(argument)" + (near.map { "; did you mean \($0)?" } ?? ""))
            }
        }
    }

    subscript(_ option: String) -> String? {
        assert(form.takesValue(option) == true, "no help has \(option)")
        return values[option]
    }

    func has(_ flag: String) -> Bool {
        assert(form.takesValue(flag) == false, "no help has \(flag)")
        return flags.contains(flag)
    }

    /// Address and port of `--listen`.
    func listening(_ standard: String) throws(ExitStatus) -> SocketAddress {
        let text = self["--listen"] ?? standard
        if let address = SocketAddress(place: text) { return address }
        // The parts of `9000`, `:9000`, `*:9000` and `localhost:9000`.
        let port = text.split(separator: ":").last.flatMap { UInt16($0) }
        let host = text.lastIndex(of: ":").map { String(text[..<$0]) } ?? ""
        let address = ["": "127.0.0.1", "localhost": "127.0.0.1", "*": "0.0.0.0"][host]
        let near = port.flatMap { port in address.map { "; did you mean \($0):\(port)?" } } ?? ""
        throw .misuse("--listen is not an IP address and port such as \(standard): \(text)\(near)")
    }

    /// The configuration directory of `COMMAND DIR` or `COMMAND --config DIR`.
    func directory(of command: any Command.Type) throws(ExitStatus) -> String {
        let directories = positional + (values["--config"].map { [$0] } ?? [])
        guard let directory = directories.first, directories.count == 1 else {
            throw .misuse("expected one directory: \(command.name) --config DIR")
        }
        return directory
    }
}
